import FleetProtocol

@testable import DeviceCore

/// A room whose clock the test advances: empty, with steady weather and its air conditioner off by default.
struct ClimateBench {
    static let empty = Occupancy(people: 0, fromHour: 0, hours: 0)
    static let steady30 = Outdoors(meanCelsius: 30, halfSwingKelvin: 0, dewPointCelsius: 15)
    static let off = ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .high)

    var room = Room(occupancy: Self.empty)
    var outdoors = Self.steady30
    var state = Self.off
    var climate = RoomClimate(celsius: 20, humidityRatio: 0.01)
    /// The time since midnight of the first day, which continues past 24 hours.
    var clock = Duration.zero

    /// Switches the air conditioner on.
    mutating func set(_ mode: ACMode, _ targetTemperature: Int8, fan: FanLevel = .high) {
        state = ACState(isOn: true, mode: mode, targetTemperature: targetTemperature, fanLevel: fan)
    }

    /// Advances the time in one step.
    mutating func run(for duration: Duration) {
        climate.advance(by: duration, from: clock, in: room, under: outdoors, set: state)
        clock += duration
    }

    /// Advances the time in equal steps, and passes the climate after each.
    mutating func run(_ count: Int, stepsOf step: Duration, seeing: (RoomClimate) -> Void = { _ in }) {
        for _ in 0..<count {
            run(for: step)
            seeing(climate)
        }
    }
}
