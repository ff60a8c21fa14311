/// A request to the supervisor of a local fleet.
public enum SupervisorRequest: Sendable, Equatable {
    /// Requests the list of processes.
    case processes
    /// Stops a process if it is running, and starts it again.
    case restart(String)
    /// Stops the fleet.
    case endFleet
    /// Changes the scenario of nodes that start later, and switches the cloud to the days of that scenario: a
    /// name, or a file's absolute path. The first day began at that time.
    case scenario(String, CloudDay, beganAt: WallTime?)
    /// Scales the fleet: for more devices a node is started; surplus devices must be retired by the client
    /// before ``trim``.
    case scale(devices: UInt32)
    /// Stops nodes whose devices have all been retired.
    case trim
    /// Injects a cloud fault for a duration; answered once a gateway applies it.
    case injectCloud(CloudFault, for: Duration)
    /// Ends cloud faults; answered likewise.
    case healCloud
    /// Requests the cloud faults.
    case cloud
    /// A gateway's report; the reply has a plan if there is a newer one.
    case cloudReport(CloudReport)
}

/// A reply of the supervisor.
public struct SupervisorReply: Sendable, Equatable {
    /// Why the request failed; nil if it succeeded.
    public let failure: String?
    /// The processes, in the order of their start.
    public let processes: [FleetProcess]
    /// The size of the fleet; only in replies about it.
    public let size: FleetSize?
    /// The cloud faults; only in replies about them.
    public let cloud: CloudPlan?
    /// The number of cloud faults that were ended; only in replies to ``SupervisorRequest/healCloud``.
    public let endedFaults: UInt32
    /// The fleet's scenario and its age; only in replies about its processes.
    public let fleet: FleetSummary?

    /// A reply with the given values.
    public init(
        failure: String? = nil, processes: [FleetProcess] = [], size: FleetSize? = nil,
        cloud: CloudPlan? = nil, endedFaults: UInt32 = 0, fleet: FleetSummary? = nil
    ) {
        (self.failure, self.processes, self.size) = (failure, processes, size)
        (self.cloud, self.endedFaults, self.fleet) = (cloud, endedFaults, fleet)
    }
}

/// The scenario and the age of a local fleet.
public struct FleetSummary: Hashable, Sendable {
    /// The scenario of nodes that start now: a name, or a file's absolute path.
    public var scenario: String
    /// The age of the supervisor, in whole milliseconds.
    public var uptime: Duration

    /// A summary with the given values.
    public init(scenario: String = "", uptime: Duration = .zero) {
        (self.scenario, self.uptime) = (scenario, uptime)
    }
}

/// The size of a local fleet; its devices' IDs are derived from the seed and their indices from 0.
public struct FleetSize: Hashable, Sendable {
    /// The seed.
    public var seed: UInt64
    /// The requested number of devices.
    public var devices: UInt32
    /// Devices that nodes may still host: more than ``devices`` until the last ones have been retired.
    public var hosted: UInt32
    /// The requested number of nodes.
    public var nodes: UInt32

    /// A size with the given numbers.
    public init(seed: UInt64 = 0, devices: UInt32 = 0, hosted: UInt32 = 0, nodes: UInt32 = 0) {
        (self.seed, self.devices, self.hosted, self.nodes) = (seed, devices, hosted, nodes)
    }
}

/// One process of a local fleet.
public struct FleetProcess: Sendable, Equatable {
    /// The states of a process.
    public enum State: UInt8, CaseIterable, Sendable {
        /// Running.
        case running
        /// It died, and will be restarted.
        case restarting
        /// It died, and stays dead until it is restarted on request.
        case dead
        /// It was stopped on request.
        case stopped

        /// The name, in lower case.
        public var name: String { "\(self)" }
    }

    /// The name: `controller` or `node-1`.
    public let name: String
    /// The state.
    public let state: State
    /// The process ID; nil while it is not running.
    public let processID: Int32?
    /// The number of restarts.
    public let restarts: UInt32
    /// How its last run ended, as text; empty before the first end.
    public let lastEnd: String

    /// A process with the given values.
    public init(name: String, state: State, processID: Int32?, restarts: UInt32 = 0, lastEnd: String = "") {
        (self.name, self.state, self.processID) = (name, state, processID)
        (self.restarts, self.lastEnd) = (restarts, lastEnd)
    }
}
