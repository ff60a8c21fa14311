import FleetProtocol
import Synchronization

/// The cloud faults of a test server, which has no supervisor.
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

    func plan(at now: Moment) -> CloudPlan { schedule.withLock { $0.plan(at: now.monotonic) } }

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
