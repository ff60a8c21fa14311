/// The current time as a state machine receives it with each step: both clocks, read together.
public struct Moment: Hashable, Sendable {
    /// The monotonic time, for durations, deadlines and leases.
    public let monotonic: MonotonicTime
    /// The wall-clock time, for people and for values that outlive a process.
    public let wall: WallTime

    /// A moment from the readings of both clocks.
    @inlinable
    public init(monotonic: MonotonicTime, wall: WallTime) { (self.monotonic, self.wall) = (monotonic, wall) }

    /// Returns the moment a duration later on both clocks.
    @inlinable
    public func advanced(by duration: Duration) -> Moment {
        Moment(monotonic: monotonic.advanced(by: duration), wall: wall.advanced(by: duration))
    }
}

/// A wall-clock time: milliseconds since 1970, UTC.
///
/// It jumps when the clock is set, so no rule measures a duration with it,
/// except for durations that must outlive a process.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let unixMilliseconds: Int64

    /// A time from its milliseconds since 1970.
    @inlinable
    public init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

    /// Returns the time a duration later.
    @inlinable
    public func advanced(by duration: Duration) -> WallTime {
        WallTime(unixMilliseconds: unixMilliseconds + duration.wholeMilliseconds)
    }

    /// Returns the duration to another time; negative if that is earlier.
    @inlinable
    public func duration(to other: WallTime) -> Duration {
        .milliseconds(other.unixMilliseconds - unixMilliseconds)
    }

    /// Returns whether the first time is earlier.
    @inlinable
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.unixMilliseconds < right.unixMilliseconds
    }
}
