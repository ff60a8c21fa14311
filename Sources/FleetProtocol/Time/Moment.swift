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

/// A time on a clock that never goes back, in nanoseconds since an arbitrary start.
///
/// Only differences are meaningful. A process reads it from the system's
/// monotonic clock, the simulator from its own.
public struct MonotonicTime: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's start.
    public let nanoseconds: Int64

    /// The start of the clock.
    @inlinable public static var zero: MonotonicTime { MonotonicTime(nanoseconds: 0) }
    /// A time later than any that a state machine reaches.
    @inlinable public static var never: MonotonicTime { MonotonicTime(nanoseconds: .max) }

    /// A time from its nanoseconds since the clock's start.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// Returns the time a duration later; on overflow, ``never``.
    @inlinable
    public func advanced(by duration: Duration) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return overflow ? .never : MonotonicTime(nanoseconds: sum)
    }

    /// Returns the duration to another time; negative if that is earlier.
    @inlinable
    public func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }

    /// Returns the microseconds to another time, rounded down; 0 if that is earlier.
    @inlinable
    public func microseconds(to other: MonotonicTime) -> UInt64 {
        UInt64(max(0, (other.nanoseconds - nanoseconds) / 1_000))
    }

    /// Returns whether the first time is earlier.
    @inlinable
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// This duration in nanoseconds, clamped to ±292 years.
    @inlinable
    public var wholeNanoseconds: Int64 {
        // Speed: see performance.md, "usual values".
        if let word = Int64(exactly: attoseconds) { return word / 1_000_000_000 }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// This duration in microseconds, rounded down; 0 if negative.
    @inlinable
    public var wholeMicroseconds: UInt64 { UInt64(max(0, wholeNanoseconds / 1_000)) }

    /// This duration in milliseconds, rounded down.
    @inlinable
    public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
