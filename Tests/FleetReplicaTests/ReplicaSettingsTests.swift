import FleetProtocol
import ReplicaTestSupport
import Testing

@testable import FleetReplica

@Suite("Device settings in a replica")
struct ReplicaSettingsTests {
    private static let device = Fixture.device(1)

    private static func settings(_ second: Int64) -> DeviceSettings {
        var settings = DeviceSettings()
        settings.timer = DeviceTimer(
            change: ACStateChange(isOn: false), due: WallTime(unixMilliseconds: second * 1_000))
        return settings
    }

    private static func position(_ sequence: UInt64) -> StreamPosition {
        StreamPosition(epoch: Epoch(7), sequence: StreamSequence(sequence))
    }

    @Test("settings of an older update are ignored, and newer ones are stored")
    func order() {
        var table = SettingsTable()
        func write(_ settings: DeviceSettings?, _ sequence: UInt64) -> Bool {
            table.write(settings, of: Self.device, from: Self.position(sequence))
        }
        #expect(!write(nil, 1))
        #expect(write(Self.settings(1), 5))
        #expect(!write(Self.settings(2), 4))
        #expect(!write(nil, 4))
        #expect(table[Self.device] == Self.settings(1))
        #expect(!write(Self.settings(1), 6))
        #expect(write(DeviceSettings(), 7))
        #expect(table[Self.device] == nil)
        #expect(!write(Self.settings(1), 6))
        #expect(table[Self.device] == nil)
    }

    @Test("settings of another controller are stored, regardless of their numbers")
    func otherController() {
        var table = SettingsTable()
        _ = table.write(Self.settings(1), of: Self.device, from: Self.position(5))
        table.resetPositions()
        let didChange = table.write(Self.settings(2), of: Self.device, from: Self.position(1))
        #expect(didChange)
    }

    @Test("a replica has the stream's settings, reports them, and drops them with their device")
    func replica() throws {
        var driver = try ReplicaDriver.whole()
        driver.receive(Fixture.update(7, 11, .settings(Self.device, Self.settings(1))))
        #expect(driver.replica.settings(of: Self.device) == Self.settings(1))
        let reported = driver.events.compactMap { event -> DeviceSettings? in
            if case .settings(_, let settings) = event.body { settings } else { nil }
        }
        #expect(reported == [Self.settings(1)])
        driver.receive(Fixture.update(7, 12, .removed(Self.device)))
        #expect(driver.replica.settings(of: Self.device) == nil)
    }
}
