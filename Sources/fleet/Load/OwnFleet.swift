import Bus
import FleetProtocol
import FoundationEssentials
import Glibc
import LoadCore
import ProcessSupport
import UnixSignals
import UserFiles

extension FleetPlan {
    /// The plan of a temporary fleet for a load; without a scenario, that of `quiet`.
    init(forLoadOf devices: Int, scenario: ScenarioChoice? = nil, hasGateway: Bool = false) {
        self.init(
            devices: devices, nodes: 1, seed: 1,
            scenario: scenario?.argument ?? ReadyMadeScenario.quiet.rawValue,
            restartsNodes: nil, hasCrashes: scenario?.hasCrashes ?? false,
            gateway: hasGateway ? Gateway(port: .fixed(0)) : nil, cloudDay: scenario?.cloudDay ?? CloudDay())
    }
}

/// A temporary fleet for one load, in its own run directory, which is removed afterwards. This process
/// supervises it, as `fleet up` does: if this process is killed, the fleet ends too.
struct OwnFleet: Sendable {
    let plan: FleetPlan
    let surroundings: Surroundings
    /// The interruption by Ctrl-C, which also aborts the start of the fleet.
    let interruption: LoadInterruption

    /// Starts the fleet, runs work, and always stops the fleet.
    func use<Result: Sendable>(_ work: (RunDirectory) async throws -> Result) async throws -> Result {
        try await TemporaryRunDirectory(purpose: "load", surroundings: surroundings).use {
            try await use($0, work)
        }
    }

    private func use<Result: Sendable>(
        _ directory: RunDirectory, _ work: (RunDirectory) async throws -> Result
    ) async throws -> Result {
        let (readiness, ready) = AsyncStream.makeStream(of: Void.self)
        let supervisor = supervisor(in: directory) {
            ready.yield()
            ready.finish()
        }
        return try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask {
                defer { ready.finish() }
                try await supervisor.run()
            }
            await interruption.handle { await end(directory) }
            var isReady = false
            for await _ in readiness { isReady = true }
            guard isReady, !interruption.hasCome else {
                // A supervisor that did not listen yet has not got the handler's request.
                if isReady { await end(directory) }
                try await group.waitForAll()
                throw CommandFailure(.refused, "interrupted: the fleet that was started is stopped")
            }
            let result = await Swift.Result(of: { try await work(directory) })
            await end(directory)
            try await group.waitForAll()
            return try result.get()
        }
    }

    /// Creates a supervisor that gets Ctrl-C only from here: the load ends first, then the fleet.
    private func supervisor(
        in directory: RunDirectory, announce: @escaping @Sendable () -> Void
    ) -> Supervisor {
        var secluded = surroundings
        secluded.stopSignals = { await UnixSignalsSequence(trapping: []) }
        return Supervisor(
            plan: plan, directory: directory, display: .none, surroundings: secluded, isTemporary: true,
            announce: { _ throws(CommandFailure) in announce() })
    }

    /// Asks the supervisor to stop everything, as `fleet down` does.
    private func end(_ directory: RunDirectory) async {
        do {
            _ = try await SupervisorAccess(directory: directory).ask(.endFleet)
        } catch {
            surroundings.notify("fleet: the temporary fleet did not stop cleanly: \(error)")
        }
    }
}

/// A run directory that is removed after its use.
struct TemporaryRunDirectory: Sendable {
    /// What its name says it is for.
    let purpose: String
    /// The environment; its `TMPDIR` names the parent directory.
    let surroundings: Surroundings

    func use<Value>(_ work: (RunDirectory) async throws -> Value) async throws -> Value {
        let directory: ScratchDirectory
        do throws(RuntimeError) {
            directory = try .make(for: purpose, environment: surroundings.environment)
        } catch {
            throw CommandFailure(.refused, "\(error)", advice: "set TMPDIR to another directory")
        }
        defer {
            if let error = directory.remove() {
                surroundings.notify("fleet: cannot remove \(directory.runDirectory): \(error)")
            }
        }
        return try await work(directory.runDirectory)
    }
}

/// An echo server that replaces the fleet in the self-test of the load tester. It has its own thread, context
/// and Unix socket, like a controller. So each request goes through all of the tester: schedule, encoding,
/// libzmq, socket, and back. All state belongs to the loop's thread.
actor EchoFleet {
    /// The maximum of frames answered in one turn.
    private static let framesPerTurn = 64
    /// The maximum of queued messages in each direction: one second's at a high rate.
    private static let highWaterMark = 100_000

    private let loop: Loop
    private var socket: Socket?
    private var frames = Frames()

    nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

    private init(on loop: Loop) { self.loop = loop }

    /// Runs work while an echo server answers at an endpoint.
    static func use<Value: Sendable>(
        at endpoint: Endpoint, _ work: () async throws -> Value
    ) async throws -> Value {
        try await Loop.withThread(name: "echo") { loop in
            let echo = EchoFleet(on: loop)
            try await echo.open(at: endpoint)
            return try await work()
        }
    }

    private func open(at endpoint: Endpoint) throws(BusError) {
        var options = SocketOptions.defaults(for: .router)
        options.sendHighWaterMark = Self.highWaterMark
        options.receiveHighWaterMark = Self.highWaterMark
        let socket = try Socket(.router, context: loop.context, options: options)
        try socket.bind(endpoint)
        loop.register(socket) { self.assumeIsolated { $0.drain() } }
        self.socket = socket
    }

    private func drain() {
        guard let socket else { return }
        do {
            for _ in 0..<Self.framesPerTurn {
                guard try socket.receive(into: &frames) else { return }
                guard frames.count == 3, let peer = frames.routingID(at: 0) else { continue }
                for reply in Self.replies(to: ReceivedFrame(frames.array(at: 2))) {
                    _ = try socket.send(to: peer, delimited: reply)
                }
            }
        } catch {
            preconditionFailure("an echo server's socket fails on its own thread: \(error)")
        }
    }

    private static func replies(to frame: ReceivedFrame) -> [[UInt8]] {
        var (replies, writer): ([[UInt8]], FrameWriter) = ([], FrameWriter())
        frame.forEach { place throws(WireError) in
            let reply = EchoedReply.reply(to: try ClientRequest(wireBytes: frame.bytes, in: place))
            if let full = writer.append(reply.wireBytes) { replies.append(full) }
        } refuse: {
            preconditionFailure("the tester's own request cannot be read: \($0)")
        }
        if let last = writer.finish() { replies.append(last) }
        return replies
    }
}
