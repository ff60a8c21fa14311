import DequeModule
public import FleetProtocol
import Synchronization

/// The updates of one account, in the order of arrival.
///
/// The buffer holds updates of at most ``limit`` changes and drops the oldest when it is full. A replica
/// detects the gap in the sequence numbers, and ``dropped`` counts the lost updates. The sequence has one
/// reader and ends when the client is closed.
public struct StreamUpdates: AsyncSequence, Sendable {
    /// An update of the stream.
    public typealias Element = StreamUpdate
    /// The sequence never fails: a lost connection only delays updates.
    public typealias Failure = Never

    /// The maximum number of buffered changes: two seconds at 200,000 changes a second.
    public static let limit = 400_000

    /// The client's end of the sequence, which adds updates.
    struct Feed: Sendable {
        fileprivate let queue: UpdateQueue

        func put(_ updates: [StreamUpdate]) { queue.put(updates) }

        func finish() { queue.end() }

        /// Calls a handler when the reader is gone or the feed was finished.
        func onEnd(_ handler: @escaping @Sendable () -> Void) { queue.onEnd(handler) }
    }

    private let reading: UpdateQueue.Reading

    private init(_ reading: UpdateQueue.Reading) { self.reading = reading }

    static func make(limit: Int = Self.limit) -> (updates: StreamUpdates, feed: Feed) {
        let queue = UpdateQueue(limit: limit)
        return (StreamUpdates(UpdateQueue.Reading(of: queue)), Feed(queue: queue))
    }

    /// The number of updates that were dropped because the reader was too slow.
    public var dropped: UInt64 { reading.queue.dropped }

    /// The number of buffered changes, without beats; readable from any thread and possibly outdated.
    public var unread: Int { reading.queue.unread }

    /// The iterator of the sequence's one reader.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate let reading: UpdateQueue.Reading
        /// Updates that the iterator has taken from the queue and not returned yet.
        private var lastBatch = Deque<StreamUpdate>()

        fileprivate init(_ reading: UpdateQueue.Reading) { self.reading = reading }

        /// Returns the next update; nil when the client was closed or the reading task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StreamUpdate? {
            if lastBatch.isEmpty {
                guard await reading.queue.drain(into: &lastBatch, isolation: actor) else { return nil }
            }
            let update = lastBatch.popFirst()
            if let update { reading.queue.recordRead(update) }
            return update
        }
    }

    /// Returns the iterator of the one reader.
    public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(reading) }
}

// Speed: see performance.md, "lists".
/// A queue of updates from the client's thread to the reader, who takes all of them in one batch.
final class UpdateQueue: Sendable {
    /// Ends the queue when its last reference on the reader's side is released.
    final class Reading: Sendable {
        let queue: UpdateQueue

        init(of queue: UpdateQueue) { self.queue = queue }

        deinit { queue.end() }
    }

    /// The largest batch whose storage is reused. The reader frees the storage of a larger batch, which only
    /// a delayed reader causes.
    private static let reusedCapacity = 1_024

    private struct State {
        var updates = Deque<StreamUpdate>()
        /// The number of updates in the reader's last batch.
        var lastBatch = 0
        var changes = 0
        var dropped: UInt64 = 0
        var hasEnded = false
        /// The reader, while it waits.
        var waiting: CheckedContinuation<Void, Never>?
        var onEnd: (@Sendable () -> Void)?
    }

    private let limit: Int
    private let state = Mutex(State())
    /// The number of changes in the queue and in the unread part of the reader's batch.
    private let unreadChanges = Atomic(0)

    init(limit: Int) { self.limit = limit }

    var dropped: UInt64 { state.withLock { $0.dropped } }

    /// The number of changes that were added and not yet read or dropped, without beats.
    var unread: Int { max(0, unreadChanges.load(ordering: .relaxed)) }

    /// Subtracts an update that the reader returned from ``unread``.
    func recordRead(_ update: StreamUpdate) { count(-Self.changeCount(in: update)) }

    /// Appends updates, and drops the oldest while the queue is over its limit.
    func put(_ updates: [StreamUpdate]) {
        let waiting = state.withLock { state -> CheckedContinuation<Void, Never>? in
            guard !state.hasEnded else { return nil }
            var changeCount = 0
            for update in updates {
                changeCount += Self.changeCount(in: update)
                state.changes += update.changeCount
                while state.changes > limit, let oldest = state.updates.popFirst() {
                    state.changes -= oldest.changeCount
                    state.dropped += 1
                    changeCount -= Self.changeCount(in: oldest)
                }
                state.updates.append(update)
            }
            count(changeCount)
            return state.waiting.take()
        }
        waiting?.resume()
    }

    /// Waits until the queue has updates, then takes all of them, and reuses the storage of the empty last
    /// batch. Returns false if the queue is empty and has ended, because the client was closed or the task
    /// was cancelled.
    func drain(
        into lastBatch: inout Deque<StreamUpdate>, isolation actor: isolated (any Actor)?
    ) async -> Bool {
        await withTaskCancellationHandler(
            operation: {
                await withCheckedContinuation(isolation: actor) { continuation in
                    if !wait(with: continuation) { continuation.resume() }
                }
            }, onCancel: { end() }, isolation: actor)
        state.withLock { state in
            if state.lastBatch > Self.reusedCapacity { lastBatch = Deque() }
            state.lastBatch = state.updates.count
            swap(&state.updates, &lastBatch)
            state.changes = 0
        }
        return !lastBatch.isEmpty
    }

    /// Rejects further updates, wakes the reader and calls the handler of ``onEnd(_:)``; a second call does
    /// nothing.
    func end() {
        let (waiting, handler) = state.withLock { state in
            state.hasEnded = true
            return (state.waiting.take(), state.onEnd.take())
        }
        waiting?.resume()
        handler?()
    }

    /// Calls a handler when the queue ends, or at once if it has ended.
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

    private static func changeCount(in update: StreamUpdate) -> Int {
        if case .beat = update.body { 0 } else { update.changeCount }
    }

    /// Stores the reader's continuation; returns false if the reader need not wait.
    private func wait(with continuation: CheckedContinuation<Void, Never>) -> Bool {
        state.withLock { state in
            guard state.updates.isEmpty, !state.hasEnded else { return false }
            precondition(state.waiting == nil, "the updates of one subscription have one reader")
            state.waiting = continuation
            return true
        }
    }
}

/// The readers of updates, and the received updates that they do not have yet, all of one topic.
struct StreamReaders {
    private var readers: [UInt64: StreamReader] = [:]
    private var lastNumber: UInt64 = 0
    private(set) var topic: [UInt8] = []
    /// The array is reused.
    private var updates: [StreamUpdate] = []
    /// The number of messages that were no updates.
    private(set) var badUpdates: UInt64 = 0

    var isEmpty: Bool { readers.isEmpty }
    var hasUpdates: Bool { !updates.isEmpty }
    var shortestPause: Duration? { readers.values.lazy.map(\.pause).min() }

    /// Adds a reader; returns its number.
    mutating func add(_ reader: StreamReader) -> UInt64 {
        lastNumber += 1
        readers[lastNumber] = reader
        return lastNumber
    }

    /// Removes a reader; returns its account if that has no other.
    mutating func remove(_ number: UInt64) -> AccountID? {
        let account = readers.removeValue(forKey: number)?.account
        return readers.values.contains { $0.account == account } ? nil : account
    }

    mutating func countBadUpdate() { badUpdates += 1 }

    /// Appends an update; those of another topic must have been handed over.
    mutating func append(_ update: StreamUpdate, of topic: [UInt8]) {
        self.topic = topic
        updates.append(update)
    }

    /// Delivers the updates to the readers of an account, or drops them for nil.
    mutating func handOver(to account: AccountID?) {
        for reader in readers.values where reader.account == account { reader.feed.put(updates) }
        updates.removeAll(keepingCapacity: true)
    }

    mutating func finish() {
        for (_, reader) in readers.sorted(by: { $0.key < $1.key }) { reader.feed.finish() }
        readers = [:]
    }
}

/// A reader of the updates of one account.
struct StreamReader: Sendable {
    let account: AccountID
    /// The maximum pause between two reads of the stream.
    let pause: Duration
    let feed: StreamUpdates.Feed
}
