/// A moment on a clock that never goes back: nanoseconds since some start.
///
/// Only differences mean anything. A shell reads it from the system's
/// monotonic clock, the simulator from its own.
public struct MonotonicTime: InstantProtocol, Hashable, Sendable {
    /// Nanoseconds since the clock's start.
    public let nanoseconds: Int64

    /// The start of the clock.
    @inlinable public static var zero: MonotonicTime { MonotonicTime(nanoseconds: 0) }
    /// Later than any moment a machine will reach.
    @inlinable public static var never: MonotonicTime { MonotonicTime(nanoseconds: .max) }

    /// The moment that many nanoseconds after the clock's start.
    @inlinable
    public init(nanoseconds: Int64) { self.nanoseconds = nanoseconds }

    /// The moment a duration later; one past the end of time is ``never``.
    @inlinable
    public func advanced(by duration: Duration) -> MonotonicTime {
        let (sum, overflow) = nanoseconds.addingReportingOverflow(duration.wholeNanoseconds)
        return overflow ? .never : MonotonicTime(nanoseconds: sum)
    }

    /// How far away another moment is; negative when it is earlier.
    @inlinable
    public func duration(to other: MonotonicTime) -> Duration {
        .nanoseconds(other.nanoseconds - nanoseconds)
    }

    /// Whether the first moment is earlier.
    @inlinable
    public static func < (left: MonotonicTime, right: MonotonicTime) -> Bool {
        left.nanoseconds < right.nanoseconds
    }
}

extension Duration {
    /// This duration in nanoseconds, cut at ±292 years.
    @inlinable
    public var wholeNanoseconds: Int64 {
        // Up to nine seconds fit a word, and a word divides far faster than two.
        if let word = Int64(exactly: attoseconds) { return word / 1_000_000_000 }
        return Int64(clamping: attoseconds / 1_000_000_000)
    }

    /// This duration in microseconds, rounded down, never negative.
    @inlinable
    public var wholeMicroseconds: UInt64 { UInt64(max(0, wholeNanoseconds / 1_000)) }

    /// This duration in milliseconds, rounded down.
    @inlinable
    public var wholeMilliseconds: Int64 { wholeNanoseconds / 1_000_000 }
}
