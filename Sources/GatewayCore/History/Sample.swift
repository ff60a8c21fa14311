import FleetProtocol
import Stepping

/// What a pod measured at some second, in eight bytes.
struct Sample: Equatable, Sendable {
    /// Seconds since 1970: enough until 2106.
    private let seconds: UInt32
    /// The temperature in tenths of a degree Celsius.
    let deciCelsius: Int16
    /// The relative humidity in tenths of a percent.
    let humidityPermille: UInt16

    init(_ measurements: Measurements, at time: WallTime) {
        seconds = UInt32(clamping: time.unixMilliseconds / 1_000)
        deciCelsius = measurements.deciCelsius
        humidityPermille = measurements.humidityPermille
    }

    var at: WallTime { WallTime(unixMilliseconds: Int64(seconds) * 1_000) }
}
