import FleetProtocol
import Stepping

/// One process as the rules of supervision see it.
struct SupervisedProcess: Sendable {
    /// Where its life stands.
    enum Life: Equatable, Sendable {
        /// Not wanted yet.
        case idle
        /// On its way.
        case starting
        /// There, since that moment.
        case running(processID: Int32, since: MonotonicTime)
        /// Asked to end, maybe to be started anew.
        case ending(processID: Int32?, thenStart: Bool)
        /// Died; started again at that moment.
        case waiting(until: MonotonicTime)
        /// Died, and stays so.
        case dead
        /// Ended because it was asked to.
        case stopped

        /// How long the process has been there; zero for one that never was.
        func length(until now: MonotonicTime) -> Duration {
            guard case .running(_, let since) = self else { return .zero }
            return since.duration(to: now)
        }
    }

    /// Its name: `controller`, or `node-1`.
    let name: String
    /// What it is to the fleet.
    let role: ProcessRole
    /// Where its life stands.
    var life = Life.idle
    /// The backoff after the next death that counts as the process's own fault.
    private var backoff = SupervisionPolicy.firstDelay
    /// How often it was started again.
    var restarts: UInt32 = 0
    /// How its last life ended.
    var lastEnd: ProcessEnd?
    /// Those who asked for a restart and wait until it runs.
    var tickets: [UInt64] = []
    /// Those who asked for the devices that it hosts, and wait likewise.
    var sizeTickets: [UInt64] = []
    /// The plan has no devices for it any more: it ends when they have been retired, and is not started.
    var isSurplus = false

    /// A process that has not been started.
    init(name: String, role: ProcessRole) {
        self.name = name
        self.role = role
    }

    /// Returns how long to wait before the process is started again, and notes its death.
    ///
    /// A process that a signal ended while it served is started at once, but at most every
    /// ``SupervisionPolicy/firstDelay``. One that died before it served, or ended with an error, would
    /// probably do so again: its wait doubles with each death that follows a life shorter than
    /// ``SupervisionPolicy/steadyLife``.
    mutating func restartDelay(after end: ProcessEnd, hasServed: Bool, lived: Duration) -> Duration {
        if case .signaled = end, hasServed {
            backoff = SupervisionPolicy.firstDelay
            return max(.zero, SupervisionPolicy.firstDelay - lived)
        }
        if lived >= SupervisionPolicy.steadyLife { backoff = SupervisionPolicy.firstDelay }
        defer { backoff = min(backoff * 2, SupervisionPolicy.longestDelay) }
        return backoff
    }

    /// Whether there is something to end, or soon will be.
    var isAlive: Bool {
        switch life {
        case .starting, .running, .ending: true
        case .idle, .waiting, .dead, .stopped: false
        }
    }

    /// As `fleet status` shows it.
    var row: FleetProcess {
        let state: FleetProcess.State
        var processID: Int32?
        switch life {
        case .running(let id, _): (state, processID) = (.running, id)
        case .ending(let id, _): (state, processID) = (.running, id)
        case .starting, .waiting: state = .restarting
        case .dead: state = .dead
        case .idle, .stopped: state = .stopped
        }
        return FleetProcess(
            name: name, state: state, processID: processID, restarts: restarts, lastEnd: lastEnd?.words ?? "")
    }
}
