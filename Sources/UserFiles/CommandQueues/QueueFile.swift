public import FleetProtocol

/// A command queue as it is written in a file.
///
/// Devices are named as on a command line; a client that knows the account's devices converts it to a plan.
public struct QueueFile: Hashable, Sendable {
    /// One command of the queue.
    public struct Command: Hashable, Sendable {
        /// The command's ID; by default its position, from 1.
        public let label: String
        /// The device, by ID, name or part of a name.
        public let device: String
        /// The request to the device.
        public let kind: FleetProtocol.Command.Kind
        /// How long the command takes in the device; 0 s by default.
        public let takes: Duration
        /// The line of the file at which the command begins, from 1; nil if unknown.
        public let line: Int?
    }

    /// The file's name in error messages.
    public let file: String
    /// What happens when a command fails; by default the command queue stops.
    public let onFailure: QueuePlan.OnFailure
    /// The commands: 1 to ``Limits/queueCommands``, each with a unique ID.
    public let commands: [Command]

    init(file: String, onFailure: QueuePlan.OnFailure, commands: [Command]) {
        (self.file, self.onFailure, self.commands) = (file, onFailure, commands)
    }

    /// The allowed content of such a file, for error messages.
    package static let content = QueueFileReader.queueSectionsInWords

    /// Reads the command queue from a file's entries.
    ///
    /// - Parameter file: The file's name in error messages.
    /// - Throws: ``InvalidFile`` with all problems.
    package init(_ root: Entry, file: String) throws(InvalidFile) {
        var reader = QueueFileReader()
        let queue = reader.queue(root, file: file)
        guard reader.findings.isEmpty, let queue else { throw reader.findings.error(in: file) }
        self = queue
    }
}
