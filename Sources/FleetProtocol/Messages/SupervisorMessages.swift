/// What `fleet` asks of the process that keeps a local fleet running.
public enum SupervisorRequest: Sendable, Equatable {
    /// Asks which processes there are.
    case processes
    /// Ends a process, if it lives, and starts it anew.
    case restart(String)
    /// Ends everything.
    case endFleet
    /// Has nodes that start from now on do so with another scenario: a name, or a file's absolute path.
    case scenario(String)
}

/// What the supervisor answers.
public struct SupervisorReply: Sendable, Equatable {
    /// What is wrong, in words; nil: done as asked.
    public let failure: String?
    /// The processes, in the order of their start.
    public let processes: [FleetProcess]

    /// The reply of those parts.
    public init(failure: String? = nil, processes: [FleetProcess] = []) {
        self.failure = failure
        self.processes = processes
    }
}

/// One process of a local fleet.
public struct FleetProcess: Sendable, Equatable {
    /// How a process can be.
    public enum State: UInt8, CaseIterable, Sendable {
        /// It runs.
        case running
        /// It died and will be started again in a moment.
        case restarting
        /// It died and stays so until somebody restarts it.
        case dead
        /// It ended because it was asked to.
        case stopped

        /// Its name, in lower case.
        public var name: String { "\(self)" }
    }

    /// What people call it: `controller` or `node-1`.
    public let name: String
    /// How it is.
    public let state: State
    /// Its process id; nil while it does not run.
    public let processID: Int32?
    /// How often it was started again.
    public let restarts: UInt32
    /// How its last life ended, in words; empty before the first end.
    public let lastEnd: String

    /// The process of those values.
    public init(name: String, state: State, processID: Int32?, restarts: UInt32 = 0, lastEnd: String = "") {
        self.name = name
        self.state = state
        self.processID = processID
        self.restarts = restarts
        self.lastEnd = lastEnd
    }
}
