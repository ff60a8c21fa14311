public import FleetProtocol
import Synchronization

/// The updates of one account, in the order in which they came.
///
/// At most ``limit`` wait for their reader; when more come, the oldest go. The gap in the sequence tells
/// whoever keeps a replica, and ``dropped`` how many. One reader; it ends when the client is closed.
public struct StreamUpdates: AsyncSequence, Sendable {
    /// One thing that changed.
    public typealias Element = StreamUpdate
    /// It never fails: a lost connection is a pause.
    public typealias Failure = Never

    /// The most updates that wait for their reader.
    public static let limit = 100_000

    /// Counts what the feed drops, shared between the feed and the reader.
    fileprivate final class Losses: Sendable {
        let count = Atomic<UInt64>(0)
    }

    /// Where the client puts updates in.
    struct Feed: Sendable {
        private let continuation: AsyncStream<StreamUpdate>.Continuation
        private let losses: Losses

        fileprivate init(continuation: AsyncStream<StreamUpdate>.Continuation, losses: Losses) {
            self.continuation = continuation
            self.losses = losses
        }

        func put(_ update: StreamUpdate) {
            if case .dropped = continuation.yield(update) { losses.count.add(1, ordering: .relaxed) }
        }

        func finish() {
            continuation.finish()
        }

        /// Calls a handler once the reader has gone, or the feed was finished.
        func onEnd(_ handler: @escaping @Sendable () -> Void) {
            continuation.onTermination = { _ in handler() }
        }
    }

    private let stream: AsyncStream<StreamUpdate>
    private let losses: Losses

    private init(stream: AsyncStream<StreamUpdate>, losses: Losses) {
        self.stream = stream
        self.losses = losses
    }

    /// The two ends of a new sequence.
    static func make(limit: Int = Self.limit) -> (updates: StreamUpdates, feed: Feed) {
        let (stream, continuation) = AsyncStream.makeStream(
            of: StreamUpdate.self, bufferingPolicy: .bufferingNewest(limit))
        let losses = Losses()
        return (
            StreamUpdates(stream: stream, losses: losses), Feed(continuation: continuation, losses: losses)
        )
    }

    /// How many updates went because their reader was too slow.
    public var dropped: UInt64 { losses.count.load(ordering: .relaxed) }

    /// The place of the one reader.
    public struct AsyncIterator: AsyncIteratorProtocol {
        fileprivate var base: AsyncStream<StreamUpdate>.AsyncIterator

        /// The next update; nil when the client was closed or the reading task is cancelled.
        public mutating func next(isolation actor: isolated (any Actor)?) async -> StreamUpdate? {
            await base.next(isolation: actor)
        }
    }

    /// Starts to read.
    public func makeAsyncIterator() -> AsyncIterator {
        AsyncIterator(base: stream.makeAsyncIterator())
    }
}
