import ServiceLifecycle
import UnixSignals

/// Runs a service from the moment at which the gateway listens, and not at all if it never does.
///
/// A service that ran before would be ended with each port that is taken, and could not be run again.
struct ServiceOnceListening: Service {
    private let service: any Service
    private let listening: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    /// A service that waits for ``begin()``.
    init(_ service: any Service) {
        self.service = service
        (listening, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Runs the service: the gateway listens.
    func begin() {
        feed.yield()
        feed.finish()
    }

    func run() async throws {
        for await _ in listening.cancelOnGracefulShutdown() {
            return try await service.run()
        }
    }
}
