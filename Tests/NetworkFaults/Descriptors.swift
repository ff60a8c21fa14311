import Glibc

/// The descriptors that a program waits for, and the monotonic clock.
struct Descriptors {
    private var polled: [pollfd] = []

    /// Microseconds of the monotonic clock.
    static func nowUs() -> Int64 {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int64(time.tv_sec) * 1_000_000 + Int64(time.tv_nsec) / 1_000
    }

    mutating func removeAll() {
        polled.removeAll(keepingCapacity: true)
    }

    /// Adds a descriptor; a negative one is ignored.
    mutating func add(_ descriptor: Int32, _ events: Int32) {
        polled.append(pollfd(fd: descriptor, events: Int16(events), revents: 0))
    }

    /// What happened to the descriptor that was added at an index.
    func events(at index: Int) -> Int32 { Int32(polled[index].revents) }

    /// Waits for a descriptor, at most until a time; nil waits without a limit.
    mutating func wait(untilUs limit: Int64?) {
        // The next whole millisecond, so that the program does not wake before the time.
        let milliseconds = limit.map { max(0, min(1_000, ($0 - Self.nowUs() + 999) / 1_000)) }
        poll(&polled, nfds_t(polled.count), Int32(milliseconds ?? -1))
    }

    /// Makes reads and writes return at once.
    static func unblock(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }
}
