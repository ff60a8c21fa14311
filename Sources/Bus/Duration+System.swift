internal import Glibc

extension Duration {
    /// The duration in milliseconds as libzmq takes it: rounded up, between 0 and `Int32.max`.
    ///
    /// Rounding up keeps a timer from waking just before it is due, and from spinning until it is.
    var wholeMilliseconds: Int32 {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return 0 }
        let attosecondsPerMillisecond: Int64 = 1_000_000_000_000_000
        let remainder = (attoseconds + attosecondsPerMillisecond - 1) / attosecondsPerMillisecond
        let (whole, overflow) = seconds.multipliedReportingOverflow(by: 1_000)
        guard !overflow, whole <= Int64(Int32.max) - remainder else { return Int32.max }
        return Int32(whole + remainder)
    }

    /// The duration in seconds as the system's tcp options take it: rounded up, up to `Int32.max`.
    var wholeSeconds: Int32 {
        let (seconds, attoseconds) = components
        return Int32(clamping: max(0, attoseconds > 0 ? seconds + 1 : seconds))
    }

    /// The duration as the system's waits take it: rounded up to a nanosecond, never negative.
    var systemDuration: timespec {
        let (seconds, attoseconds) = components
        guard seconds >= 0, attoseconds >= 0 else { return timespec() }
        let nanoseconds = (attoseconds + 999_999_999) / 1_000_000_000
        guard nanoseconds < 1_000_000_000 else { return timespec(tv_sec: Int(seconds) + 1, tv_nsec: 0) }
        return timespec(tv_sec: Int(seconds), tv_nsec: Int(nanoseconds))
    }
}
