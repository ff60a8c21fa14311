public import FleetProtocol

/// The present in which an answer is written, by the real clock and by that of the API.
///
/// Replicas and histories have real times. An answer has the times of the scenario's clock, which has the
/// devices' speed, so that intervals between its times are those that users set.
public struct PodTime: Sendable {
    /// The clock of the API.
    let clock: SimulatedClock
    /// The real time now.
    let real: WallTime

    /// The present of a clock at a real time.
    public init(_ real: WallTime, by clock: SimulatedClock = .real) {
        (self.clock, self.real) = (clock, real)
    }

    /// The time that the API shows now.
    var shown: WallTime { clock.shown(at: real) }

    /// Returns the time that the API shows for a real time.
    func shown(_ time: WallTime) -> WallTime { clock.shown(at: time) }

    /// Returns the whole seconds of the API's clock since a real time; 0 if another clock is ahead.
    func seconds(since time: WallTime) -> Int64 { max(0, -seconds(untilShown: shown(time))) }

    /// Returns the whole seconds of the API's clock until it shows a time; negative after that.
    func seconds(untilShown time: WallTime) -> Int64 {
        (time.unixMilliseconds - shown.unixMilliseconds) / 1_000
    }
}
