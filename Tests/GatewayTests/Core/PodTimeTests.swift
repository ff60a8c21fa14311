import FleetProtocol
import GatewayCore
import Testing

@Suite("The simulated clock in the API")
struct PodTimeTests {
    /// Two seconds after a day began at 07:00, on a clock on which an hour takes a second.
    private static let present = PodTime(
        Sample.now, by: SimulatedClock(beganAt: Sample.ago(2), second: 7 * 3_600, speed: 3_600))

    private static func soon(_ milliseconds: Int64) -> WallTime {
        Sample.now.advanced(by: .milliseconds(milliseconds))
    }

    @Test("a timer of half an hour shows half an hour, though it is due in half a second")
    func timer() throws {
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: Self.soon(500), createdAt: Sample.now)
        let answer = try APIResponse.timer(of: try Sample.pod(settings: settings), now: Self.present)
        let timer = try #require(try Sample.result(of: answer) as? [String: Any])
        #expect(timer["targetTimeSecondsFromNow"] as? Int == 1_800)
        #expect(timer["targetTime"] as? String == "2026-01-31T09:30:00")
        #expect(timer["createTime"] as? String == "2026-01-31T09:00:00")
        #expect(timer["createTimeSecondsAgo"] as? Int == 0)
    }

    @Test("a schedule shows its next time by the simulated clock")
    func schedule() throws {
        var settings = DeviceSettings()
        settings.schedules = [try Sample.schedule(ScheduleID(randomBits: 1))]
        // 2026-01-31T11:30Z.
        settings.schedules[0].calendarDue = WallTime(unixMilliseconds: 1_769_859_000_000)
        let answer = APIResponse.schedules(of: try Sample.pod(settings: settings), now: Self.present)
        let schedules = try #require(try Sample.result(of: answer) as? [[String: Any]])
        #expect(schedules.map { $0["nextTimeSecondsFromNow"] as? Int } == [9_000])
        #expect(schedules.map { $0["nextTime"] as? String } == ["2026-01-31T11:30:00"])
    }

    @Test("measurements that are taken every 90 simulated seconds have different times in the history")
    func history() throws {
        var history = PodHistory()
        for count in Int64(0)..<20 {
            history.record(try Sample.measured(), of: Sample.device, at: Self.soon(-25 * count))
        }
        // A day takes 24 seconds.
        history.record(try Sample.measured(), of: Sample.device, at: Self.soon(-25_000))
        let answer = try APIResponse.history(
            of: try Sample.pod(), in: history, days: nil,
            now: PodTime(Sample.now, by: SimulatedClock(beganAt: Sample.ago(100), second: 0, speed: 3_600)))
        let series = try #require(try Sample.result(of: answer) as? [String: [[String: Any]]])
        let times = try #require(series["temperature"]).compactMap { $0["time"] as? String }
        #expect(times.count == 20)
        #expect(Set(times).count == 20)
    }

    @Test("ages of measurements, states and connections are those of the simulated clock")
    func ages() throws {
        let pod = try Sample.object(of: try Sample.pod(), now: Self.present)
        func age(_ key: String, of inner: String) -> Int? {
            ((pod[key] as? [String: Any])?[inner] as? [String: Any])?["secondsAgo"] as? Int
        }
        // Two hours since the beginning; before it, the clock ran at real speed.
        #expect(age("measurements", of: "time") == 2 * 3_600 + 18)
        #expect(age("acState", of: "timestamp") == 2 * 3_600 + 38)
        #expect(age("connectionStatus", of: "lastSeen") == 2 * 3_600 + 18)
    }

    @Test("a plan without the beginning of its day, and a scenario that sets no clock, show the real time")
    func real() {
        let beganAt = Sample.ago(60)
        #expect(CloudPlan(revision: 1, day: CloudDay(speed: 60)).clock == .real)
        #expect(CloudPlan(revision: 1, beganAt: beganAt).clock == .real)
        let fast = CloudPlan(revision: 1, day: CloudDay(speed: 60, start: 21_600), beganAt: beganAt)
        #expect(fast.clock == SimulatedClock(beganAt: beganAt, second: 21_600, speed: 60))
    }
}
