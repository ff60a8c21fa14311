import FleetProtocol
import Stepping

extension Measurements {
    /// What a pod says that adds so much to what its sensors do.
    ///
    /// What would be beyond the bounds of a value is at them. How warm it feels follows from the other two.
    func calibrated(by calibration: SensorCalibration?) -> Measurements {
        guard let calibration else { return self }
        let celsius = Int(deciCelsius) + Int(calibration.deciCelsius)
        let humidity = Int(humidityPermille) + Int(calibration.humidityPermille)
        let deciCelsius = celsius.clamped(to: Self.deciCelsiusBounds)
        let humidityPermille = humidity.clamped(to: Self.humidityPermilleBounds)
        let vapourHPa =
            MoistAir.saturationHPa(celsius: Double(deciCelsius) / 10) * Double(humidityPermille) / 1_000
        let feelsLike = Self.feelsLike(celsius: Double(deciCelsius) / 10, vapourHPa: vapourHPa)
        let measured = Measurements(
            deciCelsius: deciCelsius,
            feelsLikeDeciCelsius: Int16((feelsLike.clamped(to: -99...999) * 10).rounded()),
            humidityPermille: humidityPermille, rssiDBm: rssiDBm)
        guard let measured else { preconditionFailure("each value is within its bounds") }
        return measured
    }
}

extension Int {
    fileprivate func clamped<Bound: FixedWidthInteger>(to bounds: ClosedRange<Bound>) -> Bound {
        Bound(Swift.min(Swift.max(self, Int(bounds.lowerBound)), Int(bounds.upperBound)))
    }
}

extension Measurements {
    /// What the pod in a room measures now; the strength of its radio differs a little each time.
    init(of climate: RoomClimate, in room: Room, using generator: inout some RandomNumberGenerator) {
        let vapourHPa = MoistAir.vapourHPa(ratio: climate.humidityRatio)
        let feelsLike = Self.feelsLike(celsius: climate.celsius, vapourHPa: vapourHPa)
        let strength = Int(room.rssiDBm) + Int.random(in: -2...2, using: &generator)
        let measured = Measurements(
            deciCelsius: Int16((climate.celsius * 10).rounded()),
            feelsLikeDeciCelsius: Int16((feelsLike.clamped(to: -99...999) * 10).rounded()),
            humidityPermille: UInt16((climate.relativeHumidityPercent * 10).rounded()),
            rssiDBm: Int8(min(max(strength, -100), -20)))
        guard let measured else { preconditionFailure("a room's climate is within what pods measure") }
        self = measured
    }

    /// How warm air of a temperature and a vapour pressure feels to somebody who sits in it.
    ///
    /// Steadman's apparent temperature without wind and sun (1994), as the Australian Bureau of Meteorology
    /// computes it, but never below the temperature: what pods report in dry rooms of 20 °C equals it.
    static func feelsLike(celsius: Double, vapourHPa: Double) -> Double {
        max(celsius, celsius + 0.33 * vapourHPa - 4)
    }
}

/// Whose pod measures when: each once in 90 seconds of the simulated clock, one after the other.
///
/// Times are simulated milliseconds since the scenario began. They follow from the number of pods alone, not
/// from when somebody got round to it: a node that is late measures what there was to measure at the time.
/// One that is late by a whole round and more makes the next so much longer.
struct MeasuringRound: Sendable {
    /// How often a pod measures.
    static let intervalMs = Measurements.interval.wholeMilliseconds

    /// How many pods there are.
    private var count: Int
    /// The place whose turn it is.
    private(set) var place = 0
    private var current: Round
    /// The round before; the first has a beginning and no length.
    private var earlier: Round

    /// One round: each of its places has an equal part of it.
    private struct Round: Sendable {
        var startMs: Int64
        var lengthMs: Int64
        /// How many there were when it began.
        var places: Int

        func dueMs(_ place: Int) -> Int64 { startMs + lengthMs * Int64(place) / Int64(places) }
    }

    /// The first round of so many pods, none or more.
    init(of count: Int) {
        self.count = count
        current = Round(startMs: 0, lengthMs: Self.intervalMs, places: max(1, count))
        earlier = Round(startMs: 0, lengthMs: 0, places: max(1, count))
    }

    /// Whether there is nobody to measure.
    var isEmpty: Bool { count == 0 }
    /// When it is the turn of the place.
    var dueMs: Int64 { current.dueMs(place) }
    /// When it was its turn before; at first, when the scenario began.
    var lastMs: Int64 { earlier.dueMs(place) }

    /// Goes on to the next place, at a moment that is not before its turn.
    mutating func goOn(atMs nowMs: Int64) {
        place += 1
        if place >= count { beginNext(atMs: nowMs) }
    }

    /// Only so many are left, the first ones: this round ends with the last of them, and the next is theirs
    /// alone.
    mutating func keep(_ left: Int) {
        count = min(count, left)
        if place >= count { beginNext(atMs: 0) }
    }

    private mutating func beginNext(atMs nowMs: Int64) {
        earlier = current
        current.startMs += current.lengthMs
        let lateMs = max(0, nowMs - current.startMs)
        current.lengthMs = Self.intervalMs * (1 + lateMs / Self.intervalMs)
        current.places = max(1, count)
        place = 0
    }
}
