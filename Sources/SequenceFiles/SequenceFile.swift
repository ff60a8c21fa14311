public import FleetProtocol

/// A sequence as people write it in a file.
///
/// Devices are named as on a command line: whoever knows the account's devices makes a plan of it.
public struct SequenceFile: Hashable, Sendable {
    /// One command of it.
    public struct Command: Hashable, Sendable {
        /// What it is called; its place, from 1, where the file does not say.
        public let label: String
        /// The device, by id, name or part of a name.
        public let device: String
        /// What the device does.
        public let kind: FleetProtocol.Command.Kind
        /// How long it takes in the device; 0 s where the file does not say.
        public let takes: Duration
        /// The line of the file that it begins at, from 1; nil where nobody knows.
        public let line: Int?
    }

    /// What errors call the file.
    public let file: String
    /// What becomes of it when a command fails; it stops where the file does not say.
    public let onFailure: SequencePlan.OnFailure
    /// The commands: 1 to ``Limits/sequenceCommands``, each with a name of its own.
    public let commands: [Command]

    init(file: String, onFailure: SequencePlan.OnFailure, commands: [Command]) {
        (self.file, self.onFailure, self.commands) = (file, onFailure, commands)
    }

    /// The allowed content of such a file, for error messages.
    package static let content = SequenceReader.sequenceSectionsInWords

    /// The sequence of a file's entries.
    ///
    /// - Parameter file: The file's name in error messages.
    /// - Throws: ``InvalidFile`` with all problems.
    package init(_ root: Entry, file: String) throws(InvalidFile) {
        var reader = SequenceReader()
        let sequence = reader.sequence(root, file: file)
        guard reader.findings.isEmpty, let sequence else { throw reader.findings.error(in: file) }
        self = sequence
    }
}
