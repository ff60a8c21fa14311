import Bus
import FleetClient
import Stepping

/// A timer that wakes a mirror at its next deadline, on the thread of its client.
struct MirrorAlarm: Sendable {
    /// One element for each ring; rings without a waiter are merged into one.
    let rings: AsyncStream<Void>

    private let feed: AsyncStream<Void>.Continuation
    private let loop: Loop
    /// The time of the next ring; nil while it is not set.
    private var due: MonotonicTime?

    /// An alarm that is not set.
    init(on loop: Loop) {
        self.loop = loop
        (rings, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Makes it ring at a moment, unless it rings earlier.
    mutating func set(for moment: MonotonicTime, at now: MonotonicTime) {
        if let due, due <= moment { return }
        due = moment
        let delay = now.duration(to: moment)
        guard delay > .zero else {
            feed.yield()
            return
        }
        loop.perform { [loop, feed] in loop.schedule(after: delay) { feed.yield() } }
    }

    /// Notes that it rang.
    ///
    /// Timers that were set for later still run, and cause a superfluous ring each.
    mutating func rang() {
        due = nil
    }
}
