import DequeModule
public import FleetProtocol
import Synchronization

/// The updates of one account, in the order in which they came.
///
/// Updates of at most ``limit`` changes wait for their reader; when more come, the oldest go. The gap in
/// the sequence shows that to a replica, and ``dropped`` counts them. There is one reader; the sequence ends
/// when the client is closed.
public struct StreamUpdates: AsyncSequence, Sendable {
    /// An update of the stream.
    public typealias Element = StreamUpdate
    /// It never fails: a lost connection only delays updates.
    public typealias Failure = Never

    /// The most changes that wait for their reader, in however few updates: two seconds of 200,000 each.
    public static let limit = 400_000

    /// Where the client puts updates in.
    struct Feed: Sendable {
        fileprivate let queue: UpdateQueue

        func put(_ updates: [StreamUpdate]) {
            queue.put(updates)
        }

        func finish() {
            queue.end()
        }

        /// Calls a handler once the reader has gone, or the feed was finished.
        func onEnd(_ handler: @escaping @Sendable () -> Void) {
            queue.onEnd(handler)
        }
    }

    private let reading: UpdateQueue.Reading

    private init(_ reading: UpdateQueue.Reading) {
        self.reading = reading
    }

    /// The two ends of a new sequence.
    static func make(limit: Int = Self.limit) -> (updates: StreamUpdates, feed: Feed) {
        let queue = UpdateQueue(limit: limit)
        return (StreamUpdates(UpdateQueue.Reading(of: queue)), Feed(queue: queue))
    }

    /// The number of updates that were dropped because the reader was too slow.
    public var dropped: UInt64 { reading.queue.dropped }

    /// The number of changes that wait for the reader, without beats; from any thread, and a moment old.
    public var unread: Int { reading.queue.unread }

    /// The place of the one reader.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: UpdateQueue.Reading
        /// Updates that nobody else can take any more.
        private var taken = Deque<StreamUpdate>()

        fileprivate init(_ reading: UpdateQueue.Reading) {
            self.reading = reading
        }

        /// The next update; nil when the client was closed or the reading task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StreamUpdate? {
            if taken.isEmpty {
                guard await reading.queue.take(into: &taken, isolation: actor) else { return nil }
            }
            let update = taken.popFirst()
            if let update { reading.queue.noteRead(update) }
            return update
        }
    }

    /// Starts to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(reading)
    }
}

/// Updates on their way from the client's thread to the one who reads them.
///
/// The reader takes all that there are and goes through them alone, so that only the first of many wakes it.
/// An `AsyncStream` in its place, which hands over one by one, was half the work of an observer.
final class UpdateQueue: Sendable {
    /// Ends a queue when nobody is left to read it.
    final class Reading: Sendable {
        let queue: UpdateQueue

        init(of queue: UpdateQueue) {
            self.queue = queue
        }

        deinit { queue.end() }
    }

    /// As many updates share one room again and again; that of more, which is of a moment when the reader was
    /// kept from its work, is given back.
    private static let keptRoom = 1_024

    private struct State {
        var updates = Deque<StreamUpdate>()
        /// How many the reader took last.
        var taken = 0
        /// What they tell of, together.
        var changes = 0
        var dropped: UInt64 = 0
        var hasEnded = false
        /// The reader, while it waits.
        var waiting: CheckedContinuation<Void, Never>?
        var onEnd: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let state = Mutex(State())
    /// The changes of the updates in the queue and of those that the reader took and has not gone through.
    private let unreadChanges = Atomic(0)

    /// A queue that holds updates of so many changes at most.
    init(limit: Int) {
        self.limit = limit
    }

    /// How many were dropped for want of room.
    var dropped: UInt64 { state.withLock { $0.dropped } }

    /// How many changes were put in and neither read nor dropped; a beat is none.
    var unread: Int { max(0, unreadChanges.load(ordering: .relaxed)) }

    /// Notes that the reader has gone on to an update that it took.
    func noteRead(_ update: StreamUpdate) {
        count(-Self.news(in: update))
    }

    /// Puts updates in, one at least; where there is no room, the oldest go.
    func put(_ updates: [StreamUpdate]) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.hasEnded else { return nil }
            var news = 0
            for update in updates {
                news += Self.news(in: update)
                state.changes += update.changeCount
                while state.changes > limit, let oldest = state.updates.popFirst() {
                    state.changes -= oldest.changeCount
                    state.dropped += 1
                    news -= Self.news(in: oldest)
                }
                state.updates.append(update)
            }
            count(news)
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Takes all that there are, once there are some.
    ///
    /// - Parameter taken: What was taken before, empty by now, whose room the queue goes on with.
    /// - Returns: False when none are left and none will come, because the queue was ended or the task was
    ///   cancelled.
    func take(into taken: inout Deque<StreamUpdate>, isolation actor: isolated (any Actor)?) async -> Bool {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: actor) { continuation in
                    if !wait(with: continuation) { continuation.resume() }
                }
            }, onCancel: { end() }, isolation: actor)
        state.withLock { state in
            if state.taken > Self.keptRoom { taken = Deque() }
            state.taken = state.updates.count
            swap(&state.updates, &taken)
            state.changes = 0
        }
        return !taken.isEmpty
    }

    /// Lets no more in, tells whoever wanted to know, and lets the reader see that it is over; more than
    /// once it does nothing.
    func end() {
        let (waiting, handler) = state.withLock { state in
            state.hasEnded = true
            return (state.waiting.take(), state.onEnd.take())
        }
        waiting?.resume()
        handler?()
    }

    /// Calls a handler at the end, or now where that has come.
    func onEnd(_ handler: @escaping @Sendable () -> Void) {
        let hasEnded = state.withLock { state in
            if !state.hasEnded { state.onEnd = handler }
            return state.hasEnded
        }
        if hasEnded { handler() }
    }

    private func count(_ changes: Int) {
        guard changes != 0 else { return }
        unreadChanges.wrappingAdd(changes, ordering: .relaxed)
    }

    private static func news(in update: StreamUpdate) -> Int {
        if case .beat = update.body { 0 } else { update.changeCount }
    }

    /// Notes who waits; false when there is nothing to wait for.
    private func wait(with continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            guard state.updates.isEmpty, !state.hasEnded else { return false }
            precondition(state.waiting == nil, "the updates of one subscription have one reader")
            state.waiting = continuation
            return true
        }
    }
}
