/// What a machine is told of the time at each step: both clocks, read together.
public struct Moment: Hashable, Sendable {
    /// For durations, deadlines and leases.
    public let monotonic: MonotonicTime
    /// For what people read and what outlives a process.
    public let wall: WallTime

    /// Both clocks as they were read.
    @inlinable
    public init(monotonic: MonotonicTime, wall: WallTime) { (self.monotonic, self.wall) = (monotonic, wall) }

    /// Both clocks a duration later.
    @inlinable
    public func advanced(by duration: Duration) -> Moment {
        Moment(monotonic: monotonic.advanced(by: duration), wall: wall.advanced(by: duration))
    }
}

/// A moment as people write it: milliseconds since 1970, UTC.
///
/// It may jump when somebody sets the clock, so no rule measures a duration
/// with it, save those that must outlive a process.
public struct WallTime: Hashable, Comparable, Sendable {
    /// Milliseconds since 1970-01-01T00:00:00Z.
    public let unixMilliseconds: Int64

    /// The moment that many milliseconds after 1970.
    @inlinable
    public init(unixMilliseconds: Int64) { self.unixMilliseconds = unixMilliseconds }

    /// The moment a duration later.
    @inlinable
    public func advanced(by duration: Duration) -> WallTime {
        WallTime(unixMilliseconds: unixMilliseconds + duration.wholeMilliseconds)
    }

    /// How far away another moment is; negative when it is earlier.
    @inlinable
    public func duration(to other: WallTime) -> Duration {
        .milliseconds(other.unixMilliseconds - unixMilliseconds)
    }

    /// Whether the first moment is earlier.
    @inlinable
    public static func < (left: WallTime, right: WallTime) -> Bool {
        left.unixMilliseconds < right.unixMilliseconds
    }
}
