internal import CZMQ
internal import Glibc

/// A queue of timers, ordered by deadline and, for equal deadlines, by scheduling. It has a binary heap of
/// deadlines and a table of closures. Cancelling removes the closure at once. The deadline stays in the heap
/// until it is first, or until more than half of the heap is cancelled.
struct TimerQueue<Instant: InstantProtocol> {
    private struct Entry {
        var deadline: Instant
        var id: TimerID

        func precedes(_ other: Entry) -> Bool {
            deadline == other.deadline ? id.number < other.id.number : deadline < other.deadline
        }
    }

    /// The heap size up to which cancelled entries are not removed in bulk.
    private static var tidyingFloor: Int { 64 }

    /// The earliest at index 0; each entry precedes those at twice its index plus 1 and 2.
    private var heap: [Entry] = []
    private var work: [TimerID: () -> Void] = [:]
    private var lastNumber: UInt64 = 0

    var count: Int { work.count }

    /// Whether the heap has no entry, not even of a cancelled timer.
    var isEmpty: Bool { heap.isEmpty }

    /// The timer scheduled last; every later one is newer.
    var newest: TimerID { TimerID(number: lastNumber) }

    var nextDeadline: Instant? {
        mutating get {
            if heap.isEmpty { return nil }
            dropCancelled()
            return heap.first?.deadline
        }
    }

    mutating func schedule(at deadline: Instant, _ body: @escaping () -> Void) -> TimerID {
        lastNumber += 1
        let id = TimerID(number: lastNumber)
        work[id] = body
        heap.append(Entry(deadline: deadline, id: id))
        siftUp(from: heap.count - 1)
        return id
    }

    /// Removes a timer and returns its closure; nil when it ran or was cancelled already. The caller releases
    /// the closure: that may run code that schedules, which must not happen in here.
    mutating func cancel(_ id: TimerID) -> (() -> Void)? {
        guard let cancelled = work.removeValue(forKey: id) else { return nil }
        if heap.count > max(Self.tidyingFloor, 2 * work.count) { tidy() }
        return cancelled
    }

    /// Removes the earliest timer if it is due and not newer than `newest`, and returns its closure. A caller
    /// reads `newest` before it runs any timer. Timers that schedule others for the past then cannot keep it
    /// in its loop.
    mutating func popDue(at now: Instant, notAfter newest: TimerID) -> (() -> Void)? {
        dropCancelled()
        guard let first = heap.first, first.deadline <= now else { return nil }
        guard first.id.number <= newest.number else { return nil }
        removeFirst()
        return work.removeValue(forKey: first.id)
    }

    private mutating func dropCancelled() {
        while let first = heap.first, work[first.id] == nil { removeFirst() }
    }

    private mutating func tidy() {
        // A sorted array is a heap.
        heap = heap.filter { work[$0.id] != nil }.sorted { $0.precedes($1) }
    }

    private mutating func removeFirst() {
        heap.swapAt(0, heap.count - 1)
        heap.removeLast()
        siftDown(from: 0)
    }

    private mutating func siftUp(from start: Int) {
        var child = start
        while child > 0, heap[child].precedes(heap[(child - 1) / 2]) {
            heap.swapAt(child, (child - 1) / 2)
            child = (child - 1) / 2
        }
    }

    private mutating func siftDown(from start: Int) {
        var parent = start
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count {
                if heap[child].precedes(heap[least]) { least = child }
            }
            if least == parent { return }
            heap.swapAt(parent, least)
            parent = least
        }
    }
}

/// The precision with which a loop wakes for its timers.
public enum TimerPrecision: Sendable {
    /// Never early, and up to a millisecond late: timers due within one millisecond share a wake-up.
    case millisecond
    /// Never early, and as soon as the system can: each deadline costs a wake-up of its own.
    case exact

    /// The smallest timer slack (prctl(2)), within which Linux groups wake-ups; the default is 50 µs.
    private static let leastSlackNs: UInt = 1
    private static let defaultSlackNs: UInt = 0

    /// Sets the current thread's timer slack to 1 ns for `exact`.
    func begin() {
        if self == .exact { Self.setSlack(Self.leastSlackNs) }
    }

    func end() {
        if self == .exact { Self.setSlack(Self.defaultSlackNs) }
    }

    func limit(of duration: Duration) -> Duration {
        switch self {
        case .millisecond: .milliseconds(duration.wholeMilliseconds)
        case .exact: max(.zero, duration)
        }
    }

    private static func setSlack(_ nanoseconds: UInt) {
        let result = sensibus_set_timer_slack(nanoseconds)
        precondition(result == 0, "the system refuses a thread its own slack: errno \(errno)")
    }
}

extension Duration {
    /// The duration in milliseconds as libzmq takes it: rounded up, between 0 and `Int32.max`. Rounding up
    /// keeps a timer from waking just before it is due, and from spinning until it is.
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
