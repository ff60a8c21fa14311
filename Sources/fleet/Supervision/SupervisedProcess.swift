import FleetProtocol
import Glibc
import Runtime
import Stepping
import Subprocess
import SystemPackage
import Wording

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

/// How one process of a fleet is run.
struct ProcessPlan: Equatable, Sendable {
    /// Where its input and output go.
    enum Stdio: Equatable, Sendable {
        /// Nothing comes in; what it says is appended to that file.
        case log(file: String)
        /// Those of the supervisor: the process is in front of the person.
        case inherited
        /// Likewise, and the process draws on a terminal, which is put back if the process cannot.
        case screen
    }

    /// Its name: `controller`, or `node-1`.
    let name: String
    /// What it is to the fleet.
    let role: ProcessRole
    /// The path of its executable.
    let executable: String
    /// Its arguments, the executable's name left out.
    let arguments: [String]
    /// Where its input and output go.
    let stdio: Stdio
    /// The token that it finds in its environment; only a node has one.
    var nodeToken: Token?
}

/// What a process is to its fleet: it decides what happens when the process dies, and when it ends.
enum ProcessRole: Int, CaseIterable, Comparable, Sendable {
    /// Shows the fleet; when it ends by itself, so does the fleet.
    ///
    /// First to end, so that the terminal is free.
    case observer
    /// Serves the fleet over HTTP; always started again.
    ///
    /// Ends before what it serves.
    case gateway
    /// Hosts devices; stays dead, for people kill nodes to see what happens.
    case node
    /// Carries out requests; always started again.
    ///
    /// Last to end, so that it hears the nodes' goodbyes.
    case controller

    /// Whether the first ends earlier.
    static func < (left: ProcessRole, right: ProcessRole) -> Bool { left.rawValue < right.rawValue }
}

/// How one life of a process ended.
enum ProcessEnd: Hashable, Sendable {
    /// By itself, with that status.
    case exited(Int32)
    /// By that signal.
    case signaled(Int32)
    /// It never began; why, in words.
    case neverStarted(String)

    /// The end in words: "it …".
    var words: String {
        switch self {
        case .exited(0): "ended by itself"
        case .exited(let status): "ended by itself with status \(status)"
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

    /// Whether whoever watches the fleet is done watching, rather than struck down.
    ///
    /// A pipe that nobody reads any more ends its writer by signal 13; that is a reader who left.
    var isOwnWish: Bool {
        switch self {
        case .exited, .signaled(13): true
        case .signaled, .neverStarted: false
        }
    }
}

/// Runs one process, from its start to its end.
struct ProcessRunner: Sendable {
    /// How it is run.
    let plan: ProcessPlan

    /// Starts the process and returns when it has ended.
    ///
    /// - Parameters:
    ///   - orders: When this ends, the process is asked to end by SIGTERM, and after
    ///     ``SupervisionPolicy/grace`` by SIGKILL.
    ///   - hasStarted: Told the process id.
    func run(
        until orders: AsyncStream<Never>, hasStarted: @escaping @Sendable (Int32) -> Void
    ) async -> ProcessEnd {
        await withTaskGroup(of: ProcessEnd?.self) { group in
            group.addTask { await run(hasStarted: hasStarted) }
            group.addTask {
                for await _ in orders {}
                return nil
            }
            // The first to finish ends the other: an order cancels the process's task, which ends the
            // process; the process's end cancels the wait for orders.
            var end: ProcessEnd?
            for await finished in group {
                group.cancelAll()
                end = end ?? finished
            }
            return end ?? .neverStarted("it was not wanted any more")
        }
    }

    private func run(hasStarted: @Sendable (Int32) -> Void) async -> ProcessEnd {
        // Each life is given the terminal as it was, and so leaves it as it was.
        let terminal = plan.stdio == .screen ? KeptTerminal(of: STDIN_FILENO) : nil
        defer { terminal?.restore(farewell: TerminalScreen.leave) }
        do {
            let (input, output, error) = try descriptors()
            let result = try await Subprocess.run(
                .path(FilePath(plan.executable)), arguments: Arguments(plan.arguments),
                environment: .inherit.updating([
                    .init(stringLiteral: NodeSecret.tokenVariable): plan.nodeToken?.bytes.hexadecimal
                ]), platformOptions: options, input: input, output: output, error: error
            ) { execution in
                hasStarted(execution.processIdentifier.value)
            }
            return switch result.terminationStatus {
            case .exited(let status): .exited(status)
            case .signaled(let signal): .signaled(signal)
            }
        } catch {
            return .neverStarted("\(error)")
        }
    }

    /// A process with a log is in a group of its own: Ctrl-C in a terminal reaches the supervisor alone,
    /// which ends the others in order.
    private var options: PlatformOptions {
        var options = PlatformOptions()
        if case .log = plan.stdio { options.processGroupID = 0 }
        options.teardownSequence = [
            .send(signal: .terminate, allowedDurationToNextStep: SupervisionPolicy.grace)
        ]
        return options
    }

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

extension FileDescriptor {
    /// Does something that may fail, and closes this descriptor if it did.
    fileprivate func closeUnlessDone<Result>(_ work: () throws -> Result) throws -> Result {
        do {
            return try work()
        } catch {
            try close()
            throw error
        }
    }
}
