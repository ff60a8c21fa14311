public import FleetProtocol

/// A sequence as people write it in a file: YAML, or JSON, which is a part of that.
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
        self.file = file
        self.onFailure = onFailure
        self.commands = commands
    }

    /// The sequence of a file.
    ///
    /// - Parameters:
    ///   - path: A relative one starts at the working directory.
    ///   - directory: The working directory; absolute.
    /// - Throws: ``ScenarioFileError`` when it cannot be read, or all that is wrong in it.
    public init(_ path: String, relativeTo directory: String) throws(ScenarioFileError) {
        let absolute = path.hasPrefix("/") ? path : "\(directory)/\(path)"
        let bytes = try ScenarioFile.bytes(of: absolute, called: path, "a readable file with a sequence")
        try self.init(bytes, file: path)
    }

    /// The sequence of a text in UTF-8.
    ///
    /// - Parameter file: Where it comes from, for the words of errors.
    /// - Throws: ``ScenarioFileError`` with all that is wrong.
    public init(_ bytes: [UInt8], file: String) throws(ScenarioFileError) {
        var tree = EntryTree()
        tree.kind = "a sequence"
        tree.whole = ScenarioReader.sequenceSectionsInWords
        let root = try ScenarioText.root(of: bytes, file: file, tree)
        var reader = ScenarioReader()
        let sequence = reader.sequence(root, file: file)
        guard reader.findings.isEmpty, let sequence else { throw reader.findings.error(in: file) }
        self = sequence
    }
}
