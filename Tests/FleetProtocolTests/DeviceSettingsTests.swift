import FleetProtocol
import Records
import Stepping
import Testing

@Suite("Settings of devices")
struct DeviceSettingsTests {
    private static let change = ACStateChange(
        isOn: true, mode: .heat, targetTemperature: .min, temperatureUnit: .fahrenheit, fanLevel: .auto,
        swing: .both, horizontalSwing: .both, light: .off)

    /// Everything, as large as it can be.
    private static var largest: DeviceSettings {
        var settings = DeviceSettings()
        let side = ClimateReact.Side(tenths: .min, change: change)
        settings.climateReact = ClimateReact(measure: .feelsLike, low: side, high: side)
        let late = WallTime(unixMilliseconds: .min)
        settings.timer = DeviceTimer(change: change, due: late)
        settings.filter = FilterStatus(
            cleanedAt: late, thresholdSeconds: .max, notedSeconds: 9e15, notedAt: late,
            secondsPerSecond: 1_000_000)
        return settings
    }

    private static let changes: [SettingChange] = [
        .climateReact(ClimateReact(isEnabled: false, low: .init(tenths: -5, change: change), high: nil)),
        .climateReactEnabled(true), .climateReactEnabled(false), .timer(change, afterSeconds: 86_400),
        .noTimer, .filterCleaned, .filterThreshold(seconds: 3_600),
    ]

    @Test("take no more of a message than a chunk keeps for them")
    func size() throws {
        let device = DeviceID(fleetSeed: 1, index: 0)
        func size(_ settings: DeviceSettings) -> Int {
            StreamUpdate(
                epoch: Epoch(1), sequence: StreamSequence(1), at: WallTime(unixMilliseconds: 1),
                body: .settings(device, settings)
            ).wireBytes.count
        }
        let bytes = size(Self.largest) - size(DeviceSettings())
        #expect(bytes <= DeviceSettings.bytesAtMost - 8)
        #expect(bytes > DeviceSettings.bytesAtMost - 40)
    }

    @Test("lie behind one pointer")
    func pointer() {
        #expect(MemoryLayout<DeviceSettings?>.size == MemoryLayout<Int>.size)
    }

    @Test("come back from a file as they were written, with everything or nothing", arguments: [true, false])
    func record(isFull: Bool) throws {
        let settings = isFull ? Self.largest : DeviceSettings()
        var writer = RecordWriter()
        writer.put(settings)
        var reader = RecordReader(writer.bytes)
        #expect(try reader.take(DeviceSettings.self) == settings)
        #expect(reader.bytesLeft == 0)
    }

    @Test("each change of them comes back from a file as it was written", arguments: changes)
    func changeRecord(change: SettingChange) throws {
        var writer = RecordWriter()
        writer.put(change)
        var reader = RecordReader(writer.bytes)
        #expect(try reader.take(SettingChange.self) == change)
        #expect(reader.bytesLeft == 0)
    }

    @Test("a clock that was set back takes no running time away")
    func clockBack() {
        let status = FilterStatus(
            cleanedAt: nil, notedSeconds: 5, notedAt: WallTime(unixMilliseconds: 10_000), secondsPerSecond: 2)
        #expect(status.runningSeconds(at: WallTime(unixMilliseconds: 1)) == 5)
        #expect(status.runningSeconds(at: WallTime(unixMilliseconds: 11_500)) == 8)
        let noted = status.noted(at: WallTime(unixMilliseconds: 11_500), secondsPerSecond: 0)
        #expect(noted.runningSeconds(at: WallTime(unixMilliseconds: 99_000)) == 8)
    }
}
