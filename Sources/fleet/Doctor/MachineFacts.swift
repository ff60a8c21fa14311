import Stepping

/// What `fleet doctor` looks at that is the machine's or the installation's.
struct MachineFacts: Equatable, Sendable {
    /// A program of the fleet.
    struct Executable: Equatable, Sendable {
        /// Where it should be.
        let path: String
        /// Whether it is there and may be run.
        let canRun: Bool
    }

    /// A disk with files of the fleet.
    struct Disk: Equatable, Sendable {
        /// A directory on it.
        let path: String
        /// Bytes free there; nil when the system does not say.
        let freeBytes: UInt64?
    }

    /// The programs beside `fleet`.
    var executables: [Executable]
    /// The libzmq of this process.
    var libzmq: String
    /// What the controller's executable says of itself; nil when it cannot be run.
    var controller: ComponentVersions?
    /// Files that one process may have open; nil for no limit.
    var openFilesLimit: UInt64?
    /// Bytes of memory that are free, or soon are; nil when the system does not say.
    var availableMemoryBytes: UInt64?
    /// Where the fleet's files go, or would.
    var diskPath: String
    /// Bytes free there; nil when the system does not say.
    var freeDiskBytes: UInt64?
    /// Parts of the run directory on disks of their own.
    var otherDisks: [Disk] = []
    /// The ports at which programs listen.
    var ports = PortTable()
    /// The clock that people set.
    var wall: WallTime
}
