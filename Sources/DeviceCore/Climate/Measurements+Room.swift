import FleetProtocol

extension Measurements {
    /// The measurements with a pod's calibration offsets added to its sensor readings. Sums are clamped to
    /// the bounds of each value. The feels-like temperature is computed from the calibrated temperature and
    /// humidity.
    func calibrated(by calibration: SensorCalibration?) -> Measurements {
        guard let calibration else { return self }
        let celsius = Int(deciCelsius) + Int(calibration.deciCelsius)
        let humidity = Int(humidityPermille) + Int(calibration.humidityPermille)
        let measured = Measurements(
            deciCelsius: celsius.clamped(to: Self.deciCelsiusBounds),
            humidityPermille: humidity.clamped(to: Self.humidityPermilleBounds), rssiDBm: rssiDBm)
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
    /// The measurements of a room's pod at the room's current climate; the RSSI varies by up to 2 dBm.
    init(of climate: RoomClimate, in room: Room, using generator: inout some RandomNumberGenerator) {
        let strength = Int(room.rssiDBm) + Int.random(in: -2...2, using: &generator)
        let measured = Measurements(
            deciCelsius: Int16((climate.celsius * 10).rounded()),
            humidityPermille: UInt16((climate.relativeHumidityPercent * 10).rounded()),
            rssiDBm: Int8(min(max(strength, -100), -20)))
        guard let measured else { preconditionFailure("a room's climate is within what pods measure") }
        self = measured
    }
}

/// The measuring schedule of a node's pods: each measures once in 90 s of simulated time, in slot order.
///
/// Times are simulated milliseconds since the scenario began. They depend on the number of pods and not on
/// when the process runs: a late node computes the measurement for the time at which it was due. A node that
/// is late by whole rounds lengthens the next round by as many.
struct MeasuringRound: Sendable {
    static let intervalMs = Measurements.interval.wholeMilliseconds

    private var count: Int
    private(set) var place = 0
    private var current: Round
    /// The previous round; before the first round, one of length zero at the start.
    private var earlier: Round

    private struct Round: Sendable {
        var startMs: Int64
        var lengthMs: Int64
        /// The number of pods when the round began, at least 1.
        var places: Int

        func dueMs(_ place: Int) -> Int64 { startMs + lengthMs * Int64(place) / Int64(places) }
    }

    /// The first round of a number of pods, which may be zero.
    init(of count: Int) {
        self.count = count
        current = Round(startMs: 0, lengthMs: Self.intervalMs, places: max(1, count))
        earlier = Round(startMs: 0, lengthMs: 0, places: max(1, count))
    }

    var isEmpty: Bool { count == 0 }
    var dueMs: Int64 { current.dueMs(place) }
    /// The time at which that pod was last due; in the first round, the start of the scenario.
    var lastMs: Int64 { earlier.dueMs(place) }

    /// Advances to the next pod, at a time that is not before the current pod was due.
    mutating func advance(atMs nowMs: Int64) {
        place += 1
        if place >= count { beginNext(atMs: nowMs) }
    }

    /// Removes all pods but the first ones, as many as `remaining`. The current round ends after the last of
    /// them, and the next round is divided among them alone.
    mutating func truncate(_ remaining: Int) {
        count = min(count, remaining)
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
