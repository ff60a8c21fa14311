import FleetProtocol
import FleetReplica
import GatewayCore
import ReplicaTestSupport
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

@Suite("Running time of filters before the first cleaning")
struct RunningTimeTests {
    private static func at(_ seconds: Int64) -> WallTime {
        Fixture.start.wall.advanced(by: .seconds(seconds))
    }

    /// The seconds that a device has run, as its pod object has them.
    private func seconds(_ driver: ReplicaDriver, _ history: PodHistory, at now: WallTime) throws -> Int? {
        let device = Fixture.device(0)
        let pod = try #require(Pod.find(device.description, in: driver.replica, history))
        let filters = try Sample.object(of: pod, now: PodTime(now))["filtersCleaning"] as? [String: Any]
        return filters?["acOnSecondsSinceLastFiltersClean"] as? Int
    }

    @Test("a device that was never cleaned counts each time that it is on")
    func counts() throws {
        var (driver, history) = (try ReplicaDriver.whole(names: ["Hall"]), PodHistory())
        func report(_ isOn: Bool, version: UInt64, at second: Int64) {
            let state = Fixture.state(on: isOn, version: version)
            driver.receive(.reported(Fixture.device(0), state))
            let reported = FleetEvent.Reported(
                device: FleetEvent.Device(id: Fixture.device(0), name: nil, node: nil), state: state,
                isRepair: false)
            history.record(FleetEvent(at: Self.at(second), .reported(reported)), of: driver.replica)
        }
        #expect(try seconds(driver, history, at: Self.at(100)) == 0)
        report(true, version: 2, at: 100)
        #expect(try seconds(driver, history, at: Self.at(130)) == 30)
        report(false, version: 3, at: 160)
        #expect(try seconds(driver, history, at: Self.at(500)) == 60)
        report(true, version: 4, at: 500)
        #expect(try seconds(driver, history, at: Self.at(505)) == 65)
        #expect(try seconds(driver, history, at: Self.at(1_079_000 + 500)) == 1_079_060)
    }
}
