import FleetProtocol
import Glibc
import Runtime
import Stepping
import Subprocess
import SystemPackage
import UnixSignals
import Wording

/// Starts this program again in a session of its own, and waits until it says that the fleet is ready.
struct DetachedStart: Sendable {
    /// From SIGTERM to SIGKILL when the start is given up: longer than the end of a fleet takes.
    private static let grace: Duration = .seconds(4)

    /// The other's arguments.
    let arguments: [String]
    /// The world.
    let surroundings: Surroundings

    private enum Progress {
        case givenUp, ended(ExitStatus)
    }

    /// Prints what the other says when it is ready, and leaves it behind.
    ///
    /// - Returns: The other's status, when it ended before that.
    func run() async throws -> ExitStatus {
        let signals = await surroundings.stopSignals()
        return try await withThrowingTaskGroup(of: Progress.self) { group in
            group.addTask { .ended(try await start()) }
            group.addTask {
                for await _ in signals { break }
                return .givenUp
            }
            // A stop signal gives the start up: cancelling it ends the other in order, which is waited for.
            guard case .ended(let status)? = try await group.next() else {
                group.cancelAll()
                surroundings.say("fleet: given up: what was started is ended again")
                return .refused
            }
            group.cancelAll()
            return status
        }
    }

    private func start() async throws -> ExitStatus {
        var options = PlatformOptions()
        options.createSession = true
        options.teardownSequence = [.send(signal: .terminate, allowedDurationToNextStep: Self.grace)]
        do {
            let result = try await Subprocess.run(
                .path(FilePath(surroundings.executable)), arguments: Arguments(arguments),
                platformOptions: options, input: .none, output: .sequence, error: .currentStandardError
            ) { execution in
                var isReady = false
                for try await line in execution.standardOutput.strings() {
                    surroundings.print(line)
                    isReady = true
                }
                // Its output ends here once its log has taken that over. `run` would wait for the other's
                // end; it is to outlive this process.
                if isReady { surroundings.leave(.done) }
            }
            guard case .exited(let status) = result.terminationStatus else { return .refused }
            return ExitStatus(rawValue: status) ?? .bug
        } catch {
            guard Task.isCancelled else { throw error }
            return .refused
        }
    }
}

/// The other programs of the fleet, which lie beside this one.
enum Executables {
    /// Looks whether each can be run, before any is.
    ///
    /// - Throws: `CommandFailure` that names the first that is missing.
    static func check(_ processes: [ProcessPlan]) throws(CommandFailure) {
        for process in processes where access(process.executable, X_OK) != 0 {
            throw CommandFailure(
                .absent, "\(process.executable) is not there, or cannot be run",
                advice: "build everything with `swift build`: the programs are looked for beside `fleet`")
        }
    }
}

/// What a fleet, or what it grows by, needs of the machine: compared with what is there before anything is
/// started.
struct FleetNeeds: Sendable {
    /// Files that a controller has open whatever the fleet: 192 of its own, and 16 connections to each of its
    /// four sockets with a quarter more, for those that are being replaced.
    static let ownOpenFiles: UInt64 = 272
    /// Files that each node costs the controller: it gives each of its four sockets an equal part of them,
    /// with a quarter more, and a node connects to two.
    ///
    /// Devices cost none: they share the connections of their node.
    static let nodeOpenFiles: UInt64 = 5
    /// Hashing a password takes 64 MiB, and controller and supervisor as much again.
    static let ownBytes: UInt64 = 128 << 20
    /// A node without devices; most of its 24 MiB are libraries that it shares with the others.
    static let nodeBytes: UInt64 = 8 << 20
    /// Memory of one device over all processes: of 1,000,000 some 115 bytes were measured in the node, 150 in
    /// the controller, and 230 in an observer.
    static let deviceBytes: UInt64 = 768

    /// Files that its controller may have open.
    let openFiles: UInt64
    /// Memory of all its processes.
    let memoryBytes: UInt64

    /// Whose needs they are, in words, and what to do about files and about memory that are not there.
    private let words: (who: String, files: String, memory: String)

    /// The needs of a fleet of that size.
    init(devices: Int, nodes: Int) {
        openFiles = Self.ownOpenFiles + UInt64(nodes) * Self.nodeOpenFiles
        memoryBytes = Self.ownBytes + UInt64(nodes) * Self.nodeBytes + UInt64(devices) * Self.deviceBytes
        words = ("this fleet needs", "have fewer --nodes", "have fewer --devices")
    }

    /// The needs of one more node with so many devices, beside a fleet that runs.
    ///
    /// - Parameter nodes: How many nodes there are then.
    init(growth devices: Int, nodes: Int) {
        openFiles = Self.ownOpenFiles + UInt64(nodes) * Self.nodeOpenFiles
        memoryBytes = Self.nodeBytes + UInt64(devices) * Self.deviceBytes
        words = ("that growth needs", "start a fleet of fewer nodes", "ask for fewer devices")
    }

    /// Says what of it is not there, and what to do.
    ///
    /// - Throws: `CommandFailure` with what there is, what is needed, and advice.
    func check(against limits: MachineLimits) throws(CommandFailure) {
        if let there = limits.openFiles, there < openFiles {
            throw CommandFailure(
                .refused, "a process may have \(there) files open, and \(words.who) \(openFiles)",
                advice: "raise the limit: ulimit -n \(openFiles); or \(words.files)")
        }
        if let there = limits.memoryBytes, there < memoryBytes {
            throw CommandFailure(
                .refused,
                "\(there >> 20) MiB of memory are free, and \(words.who) \(memoryBytes >> 20) MiB",
                advice: "\(words.memory), or end what takes much memory")
        }
    }
}

/// Judges whether a new fleet is ready: every device has come up, within its time.
///
/// Of many devices some are without a connection at any time, where the scenario has it so: what counts is
/// that a node that is there has named them.
struct Readiness: Sendable {
    /// What a look at the controller showed.
    enum Look: Equatable, Sendable {
        /// The controller has not left a session in the run directory.
        case noSession
        /// It did not answer; why, in words.
        case noAnswer(String)
        /// The gateway has not said where it listens.
        case noGateway
        /// That many devices have come up, with a connection or without.
        case up(Int)
    }

    /// What follows from a look.
    enum Verdict: Equatable, Sendable {
        /// Every device has come up.
        case ready
        /// Time is up; what was missing, in words.
        case late(String)
        /// Look again soon, and tell people that, if anything.
        case again(say: String?)
    }

    /// How often people are told how far the fleet is.
    static let progressInterval: Duration = .seconds(1)

    private let devices: Int
    private let patience: Duration
    private let startedAt: MonotonicTime
    private var nextProgressAt: MonotonicTime

    /// A judge for a fleet that has just been started.
    init(of plan: FleetPlan, at now: MonotonicTime) {
        devices = plan.devices
        patience = plan.patience
        startedAt = now
        nextProgressAt = now.advanced(by: Self.progressInterval)
    }

    /// What follows from a look.
    mutating func judge(_ look: Look, at now: MonotonicTime) -> Verdict {
        if case .up(let count) = look, count >= devices { return .ready }
        if startedAt.duration(to: now) >= patience { return .late(missing(look)) }
        guard now >= nextProgressAt else { return .again(say: nil) }
        nextProgressAt = now.advanced(by: Self.progressInterval)
        return .again(say: progress(look))
    }

    private func progress(_ look: Look) -> String {
        switch look {
        case .noSession, .noAnswer: "waiting for the controller"
        case .noGateway: "waiting for the gateway"
        case .up(let count): "\(count) of \(devices) devices have come up"
        }
    }

    private func missing(_ look: Look) -> String {
        let seconds = patience.wholeMilliseconds / 1_000
        return switch look {
        case .noSession: "the controller left no session within \(seconds) s"
        case .noAnswer(let reason): "the controller did not answer within \(seconds) s: \(reason)"
        case .noGateway: "the gateway did not listen within \(seconds) s"
        case .up(let count): "only \(count) of \(devices) devices came up within \(seconds) s"
        }
    }
}

/// What `fleet up --detach` prints once every device has come up.
struct ReadySummary: Sendable {
    /// What was to run.
    let plan: FleetPlan
    /// Where it runs.
    let directory: RunDirectory
    /// What runs.
    let processes: [FleetProcess]

    /// Where the gateway listens; nil where there is none.
    let gatewayURL: String?

    /// For scripts; the member of a gateway that is not there is null.
    var json: JSONValue {
        [
            "runDir": .string(directory.path),
            "controller": ["pid": processID(of: "controller")],
            "nodes": .array(
                plan.shares.map { share in
                    [
                        "pid": processID(of: share.name), "name": .string(share.name),
                        "devices": .integer(Int64(share.devices)),
                    ]
                }),
            "gateway": gatewayURL.map { ["pid": processID(of: "gateway"), "url": .string($0)] } ?? .null,
            "account": .string(FleetPlan.account.name),
            "email": .string(DemoAccount.email),
            "passwordFile": .string(directory.demoPasswordFile),
        ]
    }

    /// For people.
    var text: String {
        "\(Count.of(plan.devices, "device")) up. " + (gatewayURL.map { "Page: \($0) " } ?? "")
            + "`fleet down` stops them"
    }

    private func processID(of name: String) -> JSONValue {
        processes.first { $0.name == name }?.processID.map { .integer(Int64($0)) } ?? .null
    }
}
