import FleetProtocol
import Testing

@testable import fleet

@Suite("Cloud faults at the supervisor")
struct CloudFaultTableTests {
    /// The plan in the reply to a gateway's report.
    private func plan(
        _ drive: inout Drive, revision: UInt64 = 0, _ meetings: [CloudReport.Meeting] = []
    ) -> CloudPlan? {
        drive.reply(to: .cloudReport(.init(revision: revision, meetings: meetings)), ticket: 99)?
            .cloud
    }

    private static func daily(_ from: UInt32, _ to: UInt32) -> CloudDay {
        CloudDay(speed: 60, start: 6 * 3_600, parts: [.init(CloudFault(.hang), from: from, to: to)])
    }

    @Test("a cloud fault is confirmed when a gateway applies it, and each gateway gets it once")
    func inject() {
        var drive = Drive.ready(gateway: true)
        let before = plan(&drive)
        #expect(before?.faults == [])
        let asked = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 7))
        #expect(asked == [.wake(drive.now.advanced(by: .seconds(2)))])
        drive.pass(.seconds(1))
        let newPlan = plan(&drive, revision: before?.revision ?? 0)
        #expect(newPlan?.faults.map(\.span) == [.injected(age: .seconds(1), remaining: .seconds(29))])
        let revision = newPlan?.revision ?? 0
        let applied = drive.step(.asked(.cloudReport(CloudReport(revision: revision)), ticket: 8))
        #expect(Drive.reply(applied, 8)?.cloud == nil)
        #expect(Drive.reply(applied, 7) != nil && Drive.reply(applied, 7)?.failure == nil)
        // A restarted gateway has revision 0 and gets the plan again.
        #expect(plan(&drive)?.faults.count == 1)
        drive.pass(.seconds(29))
        #expect(plan(&drive)?.faults == [])
    }

    @Test("a gateway with the newest plan is answered when the plan changes, or after ten seconds")
    func held() throws {
        var drive = Drive.ready(gateway: true)
        let revision = try #require(plan(&drive)).revision
        let report = SupervisorRequest.cloudReport(CloudReport(revision: revision))
        let until = drive.now.advanced(by: .seconds(10))
        #expect(drive.step(.asked(report, ticket: 1)) == [.wake(until)])
        drive.pass(.milliseconds(9_999))
        #expect(drive.step(.timePassed) == [])
        drive.pass(.milliseconds(1))
        #expect(drive.step(.timePassed) == [.answer(1, SupervisorReply())])
        _ = drive.step(.asked(report, ticket: 2))
        let injected = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 7))
        #expect(Drive.reply(injected, 2)?.cloud?.faults.count == 1)
        // Only one answer is held at a time, so a killed gateway leaves no entry.
        let next = SupervisorRequest.cloudReport(CloudReport(revision: revision + 1))
        _ = drive.step(.asked(next, ticket: 3))
        #expect(Drive.reply(drive.step(.asked(next, ticket: 4)), 3) == SupervisorReply())
        #expect(
            Drive.reply(drive.step(.asked(.scenario("mine", CloudDay(), beganAt: nil), ticket: 5)), 4)?.cloud
                != nil)
    }

    @Test("a gateway report of affected requests is answered at once")
    func heldMeetings() throws {
        var drive = Drive.ready(gateway: true)
        _ = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 7))
        let newPlan = try #require(plan(&drive))
        let meeting = CloudReport.Meeting(number: try #require(newPlan.faults.first).number, met: 1)
        let report = SupervisorRequest.cloudReport(
            CloudReport(revision: newPlan.revision, meetings: [meeting]))
        #expect(drive.reply(to: report, ticket: 8) == SupervisorReply())
        #expect(drive.reply(to: report, ticket: 9) == nil)
    }

    @Test("without a gateway, injecting a cloud fault is answered after 2 s: it applies later")
    func noGateway() {
        var drive = Drive.ready()
        _ = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 7))
        drive.pass(.milliseconds(1_999))
        #expect(drive.step(.timePassed) == [])
        drive.pass(.milliseconds(1))
        let reply = Drive.reply(drive.step(.timePassed), 7)
        #expect(reply?.failure?.contains("the next one does") == true)
        #expect(reply?.cloud?.faults.count == 1)
    }

    @Test("a fault's count of affected requests survives the gateway, and ends the fault at its limit")
    func meetings() {
        var drive = Drive.ready(gateway: true)
        var fault = CloudFault(.error)
        fault.times = 2
        _ = drive.step(.asked(.injectCloud(fault, for: .seconds(30)), ticket: 7))
        let number = plan(&drive)?.faults.first?.number ?? 0
        #expect(plan(&drive, [.init(number: number, met: 1)])?.faults.first?.met == 1)
        #expect(plan(&drive)?.faults.first?.met == 1)
        _ = plan(&drive, [.init(number: number, met: 2)])
        #expect(plan(&drive)?.faults == [])
    }

    @Test("a heal ends injected cloud faults, and the scenario's until its next day")
    func heal() throws {
        var drive = Drive.ready(gateway: true)
        let day = Self.daily(6 * 3_600, 7 * 3_600)
        _ = drive.step(.asked(.scenario("mine", day, beganAt: nil), ticket: 1))
        _ = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 2))
        drive.pass(.seconds(10))
        _ = drive.step(.asked(.healCloud, ticket: 7))
        let healed = try #require(plan(&drive))
        let planned = try #require(healed.faults.first)
        #expect(healed.faults.count == 1)
        // The fault's span is an hour of the scenario's clock, which is a minute; 10 s have passed.
        #expect(planned.span == .daily(from: 21_600, to: 25_200, rest: .seconds(50)))
        #expect(healed.age(of: planned, after: .zero) == nil)
        #expect(healed.age(of: planned, after: .seconds(24 * 60 - 10)) != nil)
        let applied = drive.step(.asked(.cloudReport(CloudReport(revision: healed.revision)), ticket: 8))
        #expect(Drive.reply(applied, 7)?.endedFaults == 2)
    }

    @Test("a heal without cloud faults is answered at once")
    func healNothing() {
        var drive = Drive.ready()
        let effects = drive.step(.asked(.healCloud, ticket: 7))
        #expect(Drive.reply(effects, 7) != nil && Drive.reply(effects, 7)?.failure == nil)
        #expect(Drive.reply(effects, 7)?.endedFaults == 0)
    }

    @Test("a new scenario replaces the scenario's faults and day; injected faults continue")
    func scenario() {
        var drive = Drive.ready(gateway: true)
        _ = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 7))
        drive.pass(.seconds(5))
        let beganAt = WallTime(unixMilliseconds: 1_800_000_000_000)
        _ = drive.step(.asked(.scenario("mine", Self.daily(0, 0), beganAt: beganAt), ticket: 1))
        let newPlan = plan(&drive)
        #expect(newPlan?.clock == SimulatedClock(beganAt: beganAt, second: 21_600, speed: 60))
        #expect(newPlan?.faults.map(\.fault.kind) == [.hang, .error])
        #expect(newPlan?.elapsed == .zero)
        #expect(newPlan?.day == CloudDay(speed: 60, start: 21_600))
        _ = drive.step(.asked(.scenario("quiet", CloudDay(), beganAt: nil), ticket: 2))
        #expect(plan(&drive)?.faults.map(\.fault.kind) == [.error])
    }

    @Test("cloud faults beyond the limit, and selectors beyond the limit, are refused")
    func full() {
        var drive = Drive.ready(gateway: true)
        var wide = CloudFault(.error)
        wide.pods = (0..<1_000).map { "\($0) of a name that is rather long" }
        #expect(
            drive.reply(to: .injectCloud(wide, for: .seconds(1)), ticket: 6)?.failure?
                .contains("--share") == true)
        for _ in 0..<Limits.cloudFaults {
            _ = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 7))
        }
        let refused = drive.step(.asked(.injectCloud(CloudFault(.error), for: .seconds(30)), ticket: 8))
        #expect(Drive.reply(refused, 8)?.failure?.contains("fleet heal --cloud") == true)
    }
}
