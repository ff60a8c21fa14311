import DequeModule
public import FleetProtocol

/// The updates of one account, in the order in which they came.
///
/// Updates of at most ``limit`` changes wait for their reader; when more come, the oldest go. The gap in
/// the sequence tells whoever keeps a replica, and ``dropped`` how many. One reader; it ends when the client
/// is closed.
public struct StreamUpdates: AsyncSequence, Sendable {
    /// One thing that changed.
    public typealias Element = StreamUpdate
    /// It never fails: a lost connection is a pause.
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

    /// How many updates went because their reader was too slow.
    public var dropped: UInt64 { reading.queue.dropped }

    /// How many changes wait for their reader, beats aside; from any thread, and a moment old.
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
