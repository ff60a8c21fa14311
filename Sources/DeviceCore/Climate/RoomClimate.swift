import FleetProtocol
import Stepping

/// How warm and how moist a room is, and whether its compressor runs: eight bytes.
///
/// Temperature and humidity ratio are kept far finer than they are measured, because a slow drift over a
/// short time must not be rounded away: at 90 s, hundredths of a degree would stand still in all that
/// changes by less than 0.2 K an hour.
struct RoomClimate: Hashable, Sendable {
    /// For how long weather and people are taken as constant; the slices begin at midnight.
    private static let sliceMs: Int64 = 900_000
    private static let dayMs: Int64 = 86_400_000
    /// The longest time that is computed, a week.
    ///
    /// Of a longer one the last week counts, for a room has forgotten by then what was before.
    private static let longestMs = 7 * dayMs

    /// The temperature in 10⁻⁷ °C.
    private var temperature: Int32
    /// The humidity ratio in 2·10⁻¹⁰ kg/kg, 30 bits; below it the duty, 2 bits.
    private var moistureAndDuty: UInt32

    /// A room of that temperature and humidity ratio, within ``RoomAir``'s bounds, whose compressor is idle.
    init(celsius: Double, humidityRatio: Double) {
        self.init(RoomAir(celsius: celsius, humidityRatio: humidityRatio, duty: .idle))
    }

    /// A room that has been left alone for long: as it is on the average of a day.
    init(settledIn room: Room, under outdoors: Outdoors) {
        let mean = Surroundings(meanOf: room, under: outdoors)
        let celsius = mean.celsius + room.resistanceKelvinPerWatt * mean.gainWatts
        let ratio = mean.humidityRatio + mean.vapourKgPerSecond / room.freshAirKgPerSecond
        self.init(celsius: celsius, humidityRatio: min(ratio, MoistAir.saturatedRatio(celsius: celsius)))
    }

    /// The same room, where an air conditioner that heats or cools has been set so for long.
    init(settledIn room: Room, under outdoors: Outdoors, set state: ACState) {
        self.init(settledIn: room, under: outdoors)
        let thermostat = Thermostat(state, hysteresisKelvin: room.hysteresisKelvin)
        let kept = celsius.clamped(
            to: (thermostat.heatingCelsius ?? -.infinity)...(thermostat.coolingCelsius ?? .infinity))
        guard kept != celsius else { return }
        let saturated = MoistAir.saturatedRatio(celsius: kept)
        self.init(celsius: kept, humidityRatio: min(humidityRatio, saturated))
    }

    private init(_ air: RoomAir) {
        let celsius = air.celsius.clamped(to: RoomAir.celsiusBounds)
        let ratio = air.humidityRatio.clamped(to: RoomAir.ratioBounds)
        temperature = Int32((celsius * 1e7).rounded())
        moistureAndDuty = UInt32((ratio * 5e9).rounded()) << 2 | UInt32(air.duty.rawValue)
    }

    /// The temperature, -60 to 90 °C.
    var celsius: Double { Double(temperature) / 1e7 }
    /// The humidity ratio, 0 to 0.16 kg/kg.
    var humidityRatio: Double { Double(moistureAndDuty >> 2) / 5e9 }
    /// The relative humidity, 0 to 100 %.
    var relativeHumidityPercent: Double {
        MoistAir.relativeHumidityPercent(celsius: celsius, ratio: humidityRatio)
    }
    /// What the compressor does.
    var duty: Duty { Duty(rawValue: UInt8(moistureAndDuty & 3)) ?? .idle }

    /// Lets time pass, in whole milliseconds, with the air conditioner set to one state throughout.
    ///
    /// However it is cut into steps the outcome is the same, but for rounding; the work is bounded, 673
    /// slices at most, and allocates nothing.
    ///
    /// - Parameters:
    ///   - duration: how long, zero or more; no time changes nothing.
    ///   - timeOfDay: when it begins, since any midnight.
    mutating func advance(
        by duration: Duration, from timeOfDay: Duration, in room: Room, under outdoors: Outdoors,
        set state: ACState
    ) {
        precondition(duration >= .zero, "a room's time does not go back")
        let wholeMs = duration.wholeMilliseconds
        var leftMs = min(wholeMs, Self.longestMs)
        let startMs = timeOfDay.wholeMilliseconds % Self.dayMs + (wholeMs - leftMs) % Self.dayMs
        var clockMs = (startMs + Self.dayMs) % Self.dayMs
        var air = RoomAir(celsius: celsius, humidityRatio: humidityRatio, duty: duty)
        while leftMs > 0 {
            let passedMs = clockMs % Self.sliceMs
            let partMs = min(leftMs, Self.sliceMs - passedMs)
            let middle = Double(clockMs - passedMs + Self.sliceMs / 2) / 1_000
            let around = Surroundings(of: room, under: outdoors, atSecondOfDay: middle)
            air.advance(by: Double(partMs) / 1_000, in: room, among: around, set: state)
            clockMs = (clockMs + partMs) % Self.dayMs
            leftMs -= partMs
        }
        self = RoomClimate(air)
    }
}
