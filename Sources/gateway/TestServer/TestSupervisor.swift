import FleetClient
import FleetProtocol
import Glibc
import ProcessSupport
import ServiceLifecycle
import Synchronization

/// Carries out what commands ask the supervisor of a fleet: a test server has none, but a cloud with faults,
/// and a start at which it can begin again.
struct TestSupervisor: Service {
    private let server: TestServer
    private let socket: SupervisorServer
    private let requests: AsyncStream<(SupervisorRequest, ticket: UInt64)>

    /// Listens from now on, so that a command finds the socket as soon as the server is ready.
    init(of server: TestServer) async throws {
        let (requests, feed) = AsyncStream.makeStream(of: (SupervisorRequest, ticket: UInt64).self)
        (self.server, self.requests) = (server, requests)
        socket = SupervisorServer(on: server.client.loop) { feed.yield(($0, $1)) }
        try await socket.open(at: try server.directory.endpoint(.supervisor))
    }

    /// Serves until a command ends the server.
    func run() async throws {
        await withDiscardingTaskGroup { group in
            for await (request, ticket) in requests.cancelOnGracefulShutdown() {
                if request == .endFleet { return await socket.answer(ticket, with: SupervisorReply()) }
                group.addTask { await socket.answer(ticket, with: await reply(to: request)) }
            }
        }
    }

    private func reply(to request: SupervisorRequest) async -> SupervisorReply {
        do {
            switch request {
            case .reset:
                try await server.reset(showing: nil, isHeld: false)
                return SupervisorReply()
            case .scenario(_, let day, beganAt: _):
                return SupervisorReply(cloud: try await server.beginCloud(day))
            case .injectCloud(let fault, for: let duration):
                return SupervisorReply(cloud: try await server.inject(fault, for: duration))
            case .healCloud:
                let (plan, ended) = try await server.healCloud()
                return SupervisorReply(cloud: plan, endedFaults: UInt32(ended))
            case .cloud:
                return SupervisorReply(cloud: server.faults.plan(at: server.clock.now, server.cloud.report))
            case .processes:
                return SupervisorReply(processes: [
                    FleetProcess(name: "test-server", state: .running, processID: getpid())
                ])
            case .restart, .endFleet, .scale, .trim, .cloudReport:
                return SupervisorReply(failure: "a test server is one process")
            }
        } catch {
            return SupervisorReply(failure: "\(error)")
        }
    }
}

/// The cloud faults of a test server.
final class TestCloudFaults: Sendable {
    private let seed: UInt64
    private let day: CloudDay
    private let schedule: Mutex<CloudFaultSchedule>

    init(seed: UInt64, day: CloudDay, at start: Moment) {
        (self.seed, self.day) = (seed, day)
        schedule = Mutex(Self.begun(seed, day, at: start))
    }

    private static func begun(_ seed: UInt64, _ day: CloudDay, at now: Moment) -> CloudFaultSchedule {
        var schedule = CloudFaultSchedule(seed: seed, day: day, beganAt: now.wall)
        schedule.pass(to: now.monotonic)
        return schedule
    }

    /// The plan that holds now, with what the report counts.
    func plan(at now: Moment, _ report: CloudReport = CloudReport()) -> CloudPlan {
        schedule.withLock { schedule in
            _ = schedule.count(report)
            schedule.pass(to: now.monotonic)
            return schedule.plan(at: now.monotonic)
        }
    }

    func restart(at now: Moment) -> CloudPlan {
        schedule.withLock { schedule in
            schedule = Self.begun(seed, day, at: now)
            return schedule.plan(at: now.monotonic)
        }
    }

    func begin(_ day: CloudDay, at now: Moment) -> CloudPlan {
        schedule.withLock { schedule in
            schedule.begin(day, beganAt: now.wall, at: now.monotonic)
            return schedule.plan(at: now.monotonic)
        }
    }

    func inject(
        _ fault: CloudFault, for time: Duration, at now: Moment, _ report: CloudReport
    ) throws(TestServerError) -> CloudPlan {
        let plan = schedule.withLock { schedule -> CloudPlan? in
            _ = schedule.count(report)
            schedule.pass(to: now.monotonic)
            guard schedule.objection(to: fault) == nil else { return nil }
            schedule.inject(fault, for: time, at: now.monotonic)
            return schedule.plan(at: now.monotonic)
        }
        guard let plan else { throw .tooManyFaults }
        return plan
    }

    func heal(at now: Moment, _ report: CloudReport) -> (plan: CloudPlan, ended: Int) {
        schedule.withLock { schedule in
            _ = schedule.count(report)
            schedule.pass(to: now.monotonic)
            let ended = Int(schedule.heal(at: now.monotonic))
            return (schedule.plan(at: now.monotonic), ended)
        }
    }
}

/// Runs operations one after another, in the order in which they came. One that has begun is carried out,
/// also if the client that asked for it has gone.
actor OneAtATime {
    struct Busy: Error, CustomStringConvertible {
        var description: String { "the server is at another operation: try again" }
    }

    private var last: Task<Void, Never>?
    private var pending = 0

    nonisolated func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await begin(work).value
    }

    /// Runs an operation now, or throws ``Busy``.
    func runAtOnce<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard pending == 0 else { throw Busy() }
        return try await begin(work).value
    }

    private func begin<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let former = last
        pending += 1
        let task = Task {
            await former?.value
            return try await work()
        }
        last = Task {
            _ = await task.result
            pending -= 1
        }
        return task
    }
}
