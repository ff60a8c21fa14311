public import FleetProtocol

extension Scenario.Group {
    /// How long before the start users have cleaned the filters and added the schedules.
    private static let age: Duration = .seconds(60 * 86_400)

    /// Returns why a new device of the group cannot carry out a change; nil if it can.
    public func objection(to change: ACStateChange) -> String? {
        capabilities.objection(to: change, of: .asBuilt(self))
    }

    /// The settings of a device that begins at a time. Its schedules are due at their next times after that.
    func settings(of device: DeviceID, at now: WallTime) -> DeviceSettings {
        let past = now.advanced(by: .zero - Self.age)
        var begun = DeviceSettings()
        begun.calibration = settings.calibration
        begun.pureBoost = settings.pureBoost
        begun.filter = settings.filterRun.map {
            FilterStatus(
                cleanedAt: past, thresholdSeconds: model.usualFilterSeconds,
                recordedSeconds: $0 / .seconds(1),
                recordedAt: now, secondsPerSecond: 0)
        }
        begun.schedules = settings.schedules.enumerated().map { place, plan in
            let bits = SeededGenerator.mixed(device.bits ^ SeededGenerator.mixed(UInt64(place)))
            let unknown = WallTime(unixMilliseconds: 0)
            return DeviceSchedule(
                id: ScheduleID(randomBits: bits), plan: plan, createdAt: past, due: unknown,
                calendarDue: unknown.advanced(by: .milliseconds(1)))
        }
        return begun
    }
}
