import FleetProtocol
import Glibc

/// The air of a room while it is computed: ``RoomClimate`` unpacked.
struct RoomAir {
    /// Temperatures are kept within these: no room of people is outside, and each formula is finite inside.
    static let celsiusBounds = -60.0...90.0
    /// Humidity ratios are kept within these, in kg/kg: up to saturated air of 62 °C.
    static let ratioBounds = 0.0...0.16
    /// How often the compressor may start or stop within one call of ``advance(by:in:among:set:)``.
    ///
    /// After the last it stays as it is. No room that is derived comes near: its limits are minutes apart.
    static let switchesAtMost = 16

    /// The temperature.
    var celsius: Double
    /// The humidity ratio, in kg/kg.
    var humidityRatio: Double
    /// What the compressor does.
    var duty: Duty

    /// Lets time pass while all that acts on the room stays the same.
    ///
    /// The solution is exact, not stepped: it goes from one start or stop of the compressor to the next.
    mutating func advance(by seconds: Double, in room: Room, among around: Surroundings, set state: ACState) {
        let thermostat = Thermostat(state, hysteresisKelvin: room.hysteresisKelvin)
        duty = thermostat.duty(after: duty, at: celsius)
        var left = seconds
        for _ in 0..<Self.switchesAtMost {
            let settled = settledCelsius(in: room, among: around, set: state)
            guard let limit = thermostat.limit(of: duty, isWarming: settled > celsius) else { break }
            let wait = self.seconds(until: limit, settling: settled, in: room)
            guard wait < left else { break }
            drift(for: wait, in: room, among: around, set: state)
            celsius = limit
            duty = thermostat.duty(after: duty, at: celsius)
            left -= wait
        }
        drift(for: left, in: room, among: around, set: state)
        duty = thermostat.duty(after: duty, at: celsius)
    }

    /// Lets time pass while the compressor, too, stays as it is.
    private mutating func drift(
        for seconds: Double, in room: Room, among around: Surroundings, set state: ACState
    ) {
        let settled = settledCelsius(in: room, among: around, set: state)
        let reached = settled + (celsius - settled) * exp(-seconds / room.timeConstantSeconds)
        celsius = reached.clamped(to: Self.celsiusBounds)
        let moisture = Moisture(of: room, among: around, duty: duty, set: state)
        let ratio = moisture.ratio(after: seconds, from: humidityRatio)
        // What the air cannot hold condenses on the walls.
        humidityRatio = min(ratio, MoistAir.saturatedRatio(celsius: celsius)).clamped(to: Self.ratioBounds)
    }

    /// Where the temperature would come to rest.
    private func settledCelsius(in room: Room, among around: Surroundings, set state: ACState) -> Double {
        let watts = around.gainWatts + room.heatWatts(of: duty, set: state)
        return around.celsius + room.resistanceKelvinPerWatt * watts
    }

    /// How long the temperature takes to a limit on its way to where it settles; infinite when it is not on
    /// the way.
    private func seconds(until limit: Double, settling settled: Double, in room: Room) -> Double {
        let shrinking = (celsius - settled) / (limit - settled)
        return shrinking > 1 ? room.timeConstantSeconds * log(shrinking) : .infinity
    }
}

extension Double {
    /// This number, or the bound that it is beyond.
    func clamped(to bounds: ClosedRange<Double>) -> Double {
        Swift.min(Swift.max(self, bounds.lowerBound), bounds.upperBound)
    }
}
