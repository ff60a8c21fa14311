import FleetClient
import FleetProtocol
import GatewayCore
import ProcessSupport
import ServiceLifecycle
import Synchronization
import UserText

/// The simulation of cloud faults, which every answer of Sensibo's API passes through. The page, the metrics
/// and the answers to supervisors bypass it, so faults do not affect them.
final class Cloud: Sendable {
    /// The interval at which a delayed request checks whether its fault is still in force.
    private static let lookInterval: Duration = .milliseconds(50)

    /// Yields one element after one or more requests were affected by faults.
    let meetings: AsyncStream<Void>

    private let faults = Mutex(CloudFaults())
    private let limiter = Mutex(RateLimiter<[UInt8]>())
    private let restarts = Mutex(0)
    private let clock: @Sendable () -> Moment
    private let meetingFeed: AsyncStream<Void>.Continuation

    init(clock: @escaping @Sendable () -> Moment) {
        self.clock = clock
        (meetings, meetingFeed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Whether the plan has faults, in force or not.
    var hasFaults: Bool { faults.withLock { $0.hasFaults } }

    /// The number of plans adopted, and the second that the API's clock shows; nil if the plan has faults.
    var faultlessSecond: (plan: Int, second: Int64)? {
        let now = clock().wall
        return faults.withLock { faults in
            guard !faults.hasFaults else { return nil }
            return (faults.plans, PodTime(now, by: faults.clock).second)
        }
    }

    var report: CloudReport { faults.withLock { $0.report } }

    /// Adopts a plan, whose daily faults follow the clock of the API.
    func apply(_ plan: CloudPlan) {
        let now = clock()
        var plan = plan
        if let beganAt = plan.beganAt { plan.elapsed = max(.zero, beganAt.duration(to: now.wall)) }
        faults.withLock { $0.apply(plan, at: now.monotonic) }
    }

    /// Admits a request with a key: nil, or the time until the next one is admitted.
    func admit(_ token: Token, takesCompressed: Bool) -> Duration? {
        let now = clock().monotonic
        return limiter.withLock { $0.admit(token.bytes, takesCompressed: takesCompressed, at: now) }
    }

    /// The number of restarts: a request that began before one has no effect after it.
    var run: Int { restarts.withLock { $0 } }

    /// Begins again with a plan: without former faults, counts and uses of the rate limit.
    func restart(with plan: CloudPlan) {
        restarts.withLock { $0 += 1 }
        faults.withLock { $0 = CloudFaults() }
        limiter.withLock { $0 = RateLimiter() }
        apply(plan)
    }

    var now: PodTime { PodTime(clock().wall, by: faults.withLock { $0.clock }) }

    /// The faults in force that alter pod objects; nil without any.
    var podFaults: PodFaults? { faults.withLock { $0.podFaults(at: clock()) } }

    func write(to text: inout MetricsText) { faults.withLock { $0.write(to: &text, at: clock().monotonic) } }

    /// Carries out a request under the faults in force, with the treatment that they demand. Throws
    /// ``APIError/fault(status:)`` for a request that a fault stops.
    func pass(
        _ request: CloudRequest, _ answer: (CloudTreatment) async throws(APIError) -> APIResponse
    ) async throws(APIError) -> APIResponse {
        let (treatment, hasMet) = faults.withLock { faults in
            let before = faults.report
            let treatment = faults.meet(request, at: clock().monotonic)
            return (treatment, faults.report != before)
        }
        if hasMet { meetingFeed.yield() }
        RequestNote.current?.meet(treatment.kinds)
        if let hang = treatment.hang {
            await wait(CloudFaults.longestHang, whileLasts: hang)
            throw .fault(status: 504)
        }
        let result: Result<APIResponse, APIError>
        if let status = treatment.error {
            result = .failure(.fault(status: status))
        } else {
            do throws(APIError) {
                result = .success(try await answer(treatment))
            } catch {
                result = .failure(error)
            }
        }
        if let lateness = treatment.lateness { await wait(lateness.delay, whileLasts: lateness.fault) }
        var given = try result.get()
        if treatment.losesResult { given = given.withoutResult }
        given.damage = treatment.damage
        return given
    }

    /// Waits for a time, or until a fault ends.
    private func wait(_ time: Duration, whileLasts fault: UInt64) async {
        let end = clock().monotonic.advanced(by: time)
        while faults.withLock({ $0.lasts(fault, at: clock().monotonic) }) {
            let left = clock().monotonic.duration(to: end)
            guard left > .zero, (try? await World.sleep(min(left, Self.lookInterval))) != nil else { return }
        }
    }
}

/// Follows the supervisor's plan of cloud faults by long polling, and reports requests that met faults. The
/// supervisor answers when the plan changes, or after ``CloudReport/longestHold``. The gateway does not store
/// the plan: a new process requests it before it serves. Without a supervisor no cloud faults apply.
struct CloudFollower: Service {
    /// The shortest time between two reports, except for reports that confirm a plan.
    private static let interval: Duration = .milliseconds(200)
    /// The time between two attempts to reach a supervisor that does not answer.
    private static let absence: Duration = .seconds(1)
    /// The longest wait for an answer that the supervisor does not hold back.
    private static let timeout: Duration = .seconds(1)

    let cloud: Cloud
    let plans: SupervisorLink
    /// The connection for everything else.
    let supervisor: SupervisorLink

    /// The follower of the supervisor of a run directory, which may have none.
    init(of cloud: Cloud, in directory: RunDirectory, beside client: FleetClient) throws(RuntimeError) {
        self.cloud = cloud
        plans = try SupervisorLink(in: directory, beside: client)
        supervisor = try SupervisorLink(in: directory, beside: client)
    }

    /// Fetches the plan once before the gateway serves, so that faults apply from the first request on.
    func begin() async { await follow(within: Self.timeout) }

    func run() async throws {
        await cancelWhenGracefulShutdown {
            await withDiscardingTaskGroup { group in
                group.addTask { await followPlans() }
                group.addTask { await reportMeetings() }
            }
        }
    }

    private func followPlans() async {
        while !Task.isCancelled {
            switch await follow(within: CloudReport.longestHold + Self.timeout) {
            // A new plan is confirmed at once: the command that asked for it waits for that.
            case .plan: continue
            case .nothing: try? await World.sleep(Self.interval)
            case .silence: try? await World.sleep(Self.absence)
            }
        }
    }

    private func reportMeetings() async {
        for await _ in cloud.meetings {
            let reply = await supervisor.ask(.cloudReport(cloud.report), timeout: Self.timeout)
            if let plan = reply?.cloud { cloud.apply(plan) }
            try? await World.sleep(Self.interval)
        }
    }

    private enum ReportResult {
        case plan, nothing, silence
    }

    /// Sends a report, and adopts the plan in its answer.
    @discardableResult
    private func follow(within timeout: Duration) async -> ReportResult {
        guard let reply = await plans.ask(.cloudReport(cloud.report), timeout: timeout) else {
            return .silence
        }
        guard let plan = reply.cloud else { return .nothing }
        cloud.apply(plan)
        return .plan
    }
}
