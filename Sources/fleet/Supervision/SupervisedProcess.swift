import FleetProtocol
import Glibc
import ProcessSupport
import Subprocess
import SystemPackage
import UserText

struct SupervisedProcess: Sendable {
    enum RunState: Equatable, Sendable {
        case idle
        /// The command that builds its executable runs.
        case building
        /// Start requested; the process does not run yet.
        case starting
        case running(processID: Int32, since: MonotonicTime)
        /// Asked to end; restarts afterwards if `thenStart` is set.
        case stopping(processID: Int32?, thenStart: Bool)
        /// Died; restarts at that time.
        case waiting(until: MonotonicTime)
        case dead
        case stopped

        /// Returns how long the process has been running; zero in any other state.
        func length(until now: MonotonicTime) -> Duration {
            guard case .running(_, let since) = self else { return .zero }
            return since.duration(to: now)
        }
    }

    /// The process's name: `controller`, or `node-1`.
    let name: String
    let role: ProcessRole
    var runState = RunState.idle
    /// The delay before the next restart, unless a signal ends the process after it has served.
    private var backoff = SupervisionPolicy.firstDelay
    var restarts: UInt32 = 0
    /// How the last run ended; nil before the first end.
    var lastEnd: ProcessEnd?
    /// Tickets of restart requests, answered when the process runs or dies.
    var tickets: [UInt64] = []
    /// Tickets of scale requests for which the node was added, answered likewise.
    var sizeTickets: [UInt64] = []
    /// Whether the plan has no devices for this node: it ends after they are retired, and does not restart.
    var isSurplus = false

    init(name: String, role: ProcessRole) { (self.name, self.role) = (name, role) }

    /// Returns the delay before the restart, and updates the backoff.
    ///
    /// A process that a signal ended after it had served restarts at once, but at most every
    /// ``SupervisionPolicy/firstDelay``. A process that exited, or died before it served, would probably fail
    /// again. Its delay doubles with each such death, up to ``SupervisionPolicy/longestDelay``; a run of
    /// ``SupervisionPolicy/steadyRun`` resets it.
    mutating func restartDelay(after end: ProcessEnd, hasServed: Bool, lived: Duration) -> Duration {
        if case .signaled = end, hasServed {
            backoff = SupervisionPolicy.firstDelay
            return max(.zero, SupervisionPolicy.firstDelay - lived)
        }
        if lived >= SupervisionPolicy.steadyRun { backoff = SupervisionPolicy.firstDelay }
        defer { backoff = min(backoff * 2, SupervisionPolicy.longestDelay) }
        return backoff
    }

    /// Whether the process runs, is being started or is ending.
    var isAlive: Bool {
        switch runState {
        case .starting, .running, .stopping: true
        case .idle, .building, .waiting, .dead, .stopped: false
        }
    }

    /// Begins to stop the process, if it runs or starts; returns whether it is to be ended.
    mutating func stop() -> Bool {
        switch runState {
        case .starting: runState = .stopping(processID: nil, thenStart: false)
        case .running(let processID, _): runState = .stopping(processID: processID, thenStart: false)
        case .stopping, .idle, .building, .waiting, .dead, .stopped: return false
        }
        return true
    }

    var row: FleetProcess {
        let state: FleetProcess.State
        var processID: Int32?
        switch runState {
        case .running(let id, _): (state, processID) = (.running, id)
        case .stopping(let id, _): (state, processID) = (.running, id)
        case .starting, .waiting, .building: state = .restarting
        case .dead: state = .dead
        case .idle, .stopped: state = .stopped
        }
        let end = runState == .building ? "is being built" : lastEnd?.text ?? ""
        return FleetProcess(name: name, state: state, processID: processID, restarts: restarts, lastEnd: end)
    }
}

struct ProcessPlan: Equatable, Sendable {
    enum Stdio: Equatable, Sendable {
        /// No input; output is appended to that file.
        case log(file: String)
        /// The supervisor's own: the process runs in the foreground.
        case inherited
        /// The supervisor's own terminal, which the supervisor restores if the process leaves it changed.
        case screen
    }

    /// The process's name: `controller`, or `node-1`.
    let name: String
    let role: ProcessRole
    let executable: String
    let arguments: [String]
    let stdio: Stdio
    /// The token in the environment of the process; only a node has one.
    var nodeToken: Token?
}

/// The role of a process in its fleet: it decides about restarts, and the order in which processes end.
enum ProcessRole: Int, CaseIterable, Comparable, Sendable {
    /// Shows the fleet; the fleet ends when the user quits the observer. Ends first, so that the terminal is
    /// free.
    case observer
    /// Serves the fleet over HTTP; once the fleet is ready, it restarts after every death. Ends before the
    /// nodes and the controller, whose data it serves.
    case gateway
    /// Hosts devices; restarts if the scenario has node crashes, or with `--restart-nodes`.
    case node
    /// Executes requests; once the fleet is ready, it restarts after every death. Ends last, so that it
    /// receives the nodes' goodbyes.
    case controller

    static func < (left: ProcessRole, right: ProcessRole) -> Bool { left.rawValue < right.rawValue }
}

enum ProcessEnd: Hashable, Sendable {
    case exited(Int32)
    case signaled(Int32)
    case neverStarted(String)

    /// A verb phrase to follow the process's name in messages.
    var text: String {
        switch self {
        case .exited(0): "exited"
        case .exited(let status): "exited with status \(status)"
        case .signaled(let number): "was ended by \(Self.name(ofSignal: number))"
        case .neverStarted(let reason): "could not be started: \(reason)"
        }
    }

    private static func name(ofSignal number: Int32) -> String {
        names[number].map { "signal \(number) (\($0))" } ?? "signal \(number)"
    }

    private static let names: [Int32: String] = [
        1: "hang-up", 2: "interrupt", 4: "illegal instruction", 5: "trap", 6: "abort", 7: "bus error",
        8: "arithmetic", 9: "kill", 11: "segmentation fault", 13: "broken pipe", 15: "terminate",
    ]

    /// Whether this end of an observer counts as its user's decision, so that the fleet ends too. SIGPIPE
    /// (13) counts as one: the reader of the observer's output has gone.
    var isUserDecision: Bool {
        switch self {
        case .exited, .signaled(13): true
        case .signaled, .neverStarted: false
        }
    }
}

struct ProcessRunner: Sendable {
    let plan: ProcessPlan
    var grace = SupervisionPolicy.grace

    /// Starts the process and returns when it has ended. The end of `orders` sends SIGTERM to the process,
    /// and after ``grace`` SIGKILL.
    func run(
        until orders: AsyncStream<Never>, hasStarted: @escaping @Sendable (Int32) -> Void
    ) async -> ProcessEnd {
        await withTaskGroup(of: ProcessEnd?.self) { group in
            group.addTask { await run(hasStarted: hasStarted) }
            group.addTask {
                for await _ in orders {}
                return nil
            }
            // The first task to finish cancels the other. An order cancels the process's task, which ends the
            // process; the process's end cancels the wait for orders.
            var end: ProcessEnd?
            for await finished in group {
                group.cancelAll()
                end = end ?? finished
            }
            return end ?? .neverStarted("it was stopped before its start")
        }
    }

    private func run(hasStarted: @Sendable (Int32) -> Void) async -> ProcessEnd {
        // Restores the terminal settings after each run, so that a restarted process finds them unchanged.
        let terminal = plan.stdio == .screen ? SavedTerminal(of: STDIN_FILENO) : nil
        defer { terminal?.restore(farewell: TerminalScreen.mouseOff + TerminalScreen.leave) }
        do {
            let (input, output, error) = try descriptors()
            let result = try await Subprocess.run(
                .path(FilePath(plan.executable)), arguments: Arguments(plan.arguments),
                environment: .inherit.updating([
                    .init(stringLiteral: NodeSecret.tokenVariable): plan.nodeToken?.bytes.hexadecimal
                ]), platformOptions: .stopping(within: grace, ownGroup: hasOwnGroup), input: input,
                output: output, error: error
            ) { execution in
                hasStarted(execution.processIdentifier.value)
            }
            if hasOwnGroup, Task.isCancelled { kill(-result.processIdentifier.value, SIGKILL) }
            return switch result.terminationStatus {
            case .exited(let status): .exited(status)
            case .signaled(let signal): .signaled(signal)
            }
        } catch {
            return .neverStarted("\(error)")
        }
    }

    /// Whether the process gets its own process group, as one with a log does: Ctrl-C in a terminal reaches
    /// only the supervisor, which ends the others in order. The supervisor signals the whole group, because a
    /// build has processes of its own.
    private var hasOwnGroup: Bool { if case .log = plan.stdio { true } else { false } }

    private func descriptors() throws -> (FileDescriptorInput, FileDescriptorOutput, FileDescriptorOutput) {
        switch plan.stdio {
        case .inherited, .screen:
            return (.currentStandardInput, .currentStandardOutput, .currentStandardError)
        case .log(let file):
            let nothing = try FileDescriptor.open("/dev/null", .readOnly, options: [.closeOnExec])
            let log = try nothing.closeUnlessDone {
                FileDescriptor(rawValue: try OwnFile.open(file, O_WRONLY | O_APPEND | O_CREAT))
            }
            let input = FileDescriptorInput.fileDescriptor(nothing, closeAfterSpawningProcess: true)
            return (
                input, .fileDescriptor(log, closeAfterSpawningProcess: true),
                .fileDescriptor(try log.duplicate(), closeAfterSpawningProcess: true)
            )
        }
    }
}

extension PlatformOptions {
    /// Options of a program that gets SIGTERM when its task is cancelled, and SIGKILL after a grace. With a
    /// process group of its own, which gets the signals, Ctrl-C in a terminal does not reach it.
    static func stopping(within grace: Duration, ownGroup: Bool = true) -> PlatformOptions {
        var options = PlatformOptions()
        if ownGroup { options.processGroupID = 0 }
        options.teardownSequence = [
            .send(signal: .terminate, toProcessGroup: ownGroup, allowedDurationToNextStep: grace)
        ]
        return options
    }
}

extension FileDescriptor {
    /// Runs a closure, and closes this descriptor if the closure throws.
    fileprivate func closeUnlessDone<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            try close()
            throw error
        }
    }
}
