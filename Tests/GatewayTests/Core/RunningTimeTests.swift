import FleetProtocol
import FleetReplica
import GatewayCore
import Testing

@Suite("Running time of filters before the first cleaning")
struct RunningTimeTests {
    private static func at(_ seconds: Int64) -> WallTime {
        TestReplica.start.wall.advanced(by: .seconds(seconds))
    }

    /// The seconds that a device has run, as its pod object has them.
    private func seconds(
        _ testReplica: TestReplica, _ history: PodHistory, at now: WallTime
    ) throws -> Int? {
        let device = TestReplica.device(0)
        let pod = try #require(Pod.find(device.description, in: testReplica.replica, history))
        let filters = try Sample.object(of: pod, now: PodTime(now))["filtersCleaning"] as? [String: Any]
        return filters?["acOnSecondsSinceLastFiltersClean"] as? Int
    }

    @Test("a device that was never cleaned counts each time that it is on")
    func counts() throws {
        var (testReplica, history) = (try TestReplica(["Hall"]), PodHistory())
        func report(_ isOn: Bool, version: UInt64, at second: Int64) {
            let state = TestReplica.state(on: isOn, version: version)
            testReplica.receive(.reported(TestReplica.device(0), state))
            let reported = FleetEvent.Reported(
                device: FleetEvent.Device(id: TestReplica.device(0), name: nil, node: nil), state: state,
                isRepair: false)
            history.record(FleetEvent(at: Self.at(second), .reported(reported)), of: testReplica.replica)
        }
        #expect(try seconds(testReplica, history, at: Self.at(100)) == 0)
        report(true, version: 2, at: 100)
        #expect(try seconds(testReplica, history, at: Self.at(130)) == 30)
        report(false, version: 3, at: 160)
        #expect(try seconds(testReplica, history, at: Self.at(500)) == 60)
        report(true, version: 4, at: 500)
        #expect(try seconds(testReplica, history, at: Self.at(505)) == 65)
        #expect(try seconds(testReplica, history, at: Self.at(1_079_000 + 500)) == 1_079_060)
    }
}
