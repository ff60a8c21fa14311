/// What `fleet` asks of the process that keeps a local fleet running.
public enum SupervisorRequest: Sendable, Equatable {
    /// Asks which processes there are.
    case processes
    /// Ends a process, if it lives, and starts it anew.
    case restart(String)
    /// Ends everything.
    case endFleet
    /// Has nodes that start from now on do so with another scenario: a name, or a file's absolute path; and
    /// the cloud go through that scenario's days from now on.
    case scenario(String, CloudDay)
    /// Has the fleet have so many devices: for more a node is started; those that are too many are the
    /// asker's to retire, before ``trim``.
    case scale(devices: UInt32)
    /// Ends nodes of which every device has been retired.
    case trim
    /// Has something go wrong with the cloud, for so long; answered once a gateway goes by it.
    case injectCloud(CloudFault, for: Duration)
    /// Ends what goes wrong with the cloud; answered likewise.
    case healCloud
    /// Asks what goes wrong with the cloud.
    case cloud
    /// A gateway's word; the answer has a plan where there is another one.
    case cloudReport(CloudReport)
}

/// What the supervisor answers.
public struct SupervisorReply: Sendable, Equatable {
    /// What is wrong, in words; nil: done as asked.
    public let failure: String?
    /// The processes, in the order of their start.
    public let processes: [FleetProcess]
    /// How large the fleet is; only in answers that are about that.
    public let size: FleetSize?
    /// What goes wrong with the cloud; only in answers that are about that.
    public let cloud: CloudPlan?
    /// How many faults of the cloud were ended; only where somebody asked for that.
    public let endedFaults: UInt32
    /// What the fleet goes through, and since when; only in answers about its processes.
    public let fleet: FleetSummary?

    /// The reply of those parts.
    public init(
        failure: String? = nil, processes: [FleetProcess] = [], size: FleetSize? = nil,
        cloud: CloudPlan? = nil, endedFaults: UInt32 = 0, fleet: FleetSummary? = nil
    ) {
        self.failure = failure
        self.processes = processes
        self.size = size
        self.cloud = cloud
        self.endedFaults = endedFaults
        self.fleet = fleet
    }
}

/// What a local fleet goes through, and since when.
public struct FleetSummary: Hashable, Sendable {
    /// The scenario of nodes that start now: a name, or a file's absolute path.
    public var scenario: String
    /// The age of the supervisor, in whole milliseconds.
    public var uptime: Duration

    /// The summary of those values.
    public init(scenario: String = "", uptime: Duration = .zero) {
        self.scenario = scenario
        self.uptime = uptime
    }
}

/// How large a local fleet is; its devices' ids follow from the seed and their indices from 0.
public struct FleetSize: Hashable, Sendable {
    /// The seed.
    public var seed: UInt64
    /// Devices that there are to be.
    public var devices: UInt32
    /// Devices that nodes may still host: more than ``devices`` until the last ones have been retired.
    public var hosted: UInt32
    /// Nodes that there are to be.
    public var nodes: UInt32

    /// The size of those numbers.
    public init(seed: UInt64 = 0, devices: UInt32 = 0, hosted: UInt32 = 0, nodes: UInt32 = 0) {
        self.seed = seed
        self.devices = devices
        self.hosted = hosted
        self.nodes = nodes
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
