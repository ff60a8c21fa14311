import FleetProtocol
import GatewayCore
import Testing

@Suite("Changes of settings")
struct SettingChangeTests {
    private static let now = WallTime(unixMilliseconds: 1_800_000_000_000)

    @Test("a change of settings is confirmed by settings that have it, and not by earlier ones")
    func shown() throws {
        let id = ScheduleID(randomBits: 7)
        let change = ACStateChange(isOn: false)
        let plan = SchedulePlan(
            change: change, time: try #require(LocalTime("22:15")), weekdays: Weekdays([.sunday]), zone: .utc)
        var react = ClimateReact(isEnabled: true, measure: .temperature, low: nil, high: nil)
        var settings = DeviceSettings()
        func accepts(_ change: SettingChange, _ set: (inout DeviceSettings) -> Void) {
            #expect(!change.isShown(by: settings), "\(change)")
            set(&settings)
            #expect(change.isShown(by: settings), "\(change)")
        }
        accepts(.schedule(id, plan)) {
            $0.schedules = [
                DeviceSchedule(
                    id: id, plan: plan, createdAt: Self.now, due: Self.now, calendarDue: Self.now)
            ]
        }
        accepts(.scheduleEnabled(id, false)) { $0.schedules[0].isEnabled = false }
        accepts(.noSchedule(id)) { $0.schedules = [] }
        accepts(.timer(change, afterSeconds: 60)) { $0.timer = DeviceTimer(change: change, due: Self.now) }
        accepts(.noTimer) { $0.timer = nil }
        accepts(.climateReact(react)) { $0.climateReact = react }
        react.isEnabled = false
        accepts(.climateReactEnabled(false)) { $0.climateReact = react }
        accepts(.calibration(deciCelsius: -15, humidityPermille: nil)) {
            $0.calibration = SensorCalibration(deciCelsius: -15, humidityPermille: 20)
        }
        #expect(SettingChange.calibration(deciCelsius: nil, humidityPermille: 20).isShown(by: settings))
        accepts(.filterThreshold(seconds: 7_200)) {
            $0.filter = FilterStatus(
                cleanedAt: nil, thresholdSeconds: 7_200, recordedAt: Self.now, secondsPerSecond: 0)
        }
        accepts(.filterCleaned) {
            $0.filter = FilterStatus(
                cleanedAt: Self.now, thresholdSeconds: 7_200, recordedAt: Self.now, secondsPerSecond: 0)
        }
    }
}
