import Logging
import ServiceLifecycle
import UnixSignals

/// The end of a group of services: at a signal, or after one of them has ended unasked.
///
/// It is the last service of its group, and the only one that ends before it is asked to: a group that shuts
/// down fails if another one does, such as at a signal that comes at the end of the parent process.
struct Shutdown: Service {
    /// The time that open requests have after the group is asked to end.
    private static let farewell: Duration = .seconds(1)

    private let signals: UnixSignalsSequence
    /// Ends the process, whatever still runs.
    private let leave: @Sendable () -> Void
    private let requests: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    init(at signals: UnixSignalsSequence, leave: @escaping @Sendable () -> Void) {
        (self.signals, self.leave) = (signals, leave)
        (requests, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    /// Asks the group to end.
    func request() { feed.yield() }

    /// Waits until the group must end. Soon after that the process ends: open connections do not keep it
    /// running, because it has nothing to lose.
    func run() async throws {
        await withTaskGroup { group in
            group.addTask { for await _ in requests.cancelOnGracefulShutdown() { return } }
            group.addTask { for await _ in signals.cancelOnGracefulShutdown() { return } }
            await group.next()
            group.cancelAll()
        }
        // If another service has failed, the process ends with its error and status.
        guard !Task.isCancelled else { return }
        Task {
            try await World.sleep(Self.farewell)
            leave()
        }
    }
}

/// Runs a service from the time at which the gateway listens; never, if it does not. A service that started
/// earlier would end with each port that is taken, and could not run again.
struct ServiceOnceListening: Service {
    private let service: any Service
    private let shutdown: Shutdown
    private let listening: AsyncStream<Void>
    private let feed: AsyncStream<Void>.Continuation

    /// Creates a service that waits for ``begin()``.
    ///
    /// - Parameter shutdown: Is asked to end the group when the service has ended.
    init(_ service: any Service, until shutdown: Shutdown) {
        (self.service, self.shutdown) = (service, shutdown)
        (listening, feed) = AsyncStream.makeStream(bufferingPolicy: .bufferingOldest(1))
    }

    func begin() {
        feed.yield()
        feed.finish()
    }

    func run() async throws {
        for await _ in listening.cancelOnGracefulShutdown() {
            try await service.run()
            shutdown.request()
            // Its turn, which has come if that is why it has ended.
            try? await gracefulShutdown()
        }
    }
}

extension ServiceGroup {
    /// Creates a group whose services end in their turn, the last one first; all at once when one fails.
    init(_ services: [any Service], until shutdown: Shutdown, logger: Logger) {
        self.init(
            configuration: ServiceGroupConfiguration(
                services: (services + [shutdown]).map {
                    .init(
                        service: $0, successTerminationBehavior: .gracefullyShutdownGroup,
                        failureTerminationBehavior: .cancelGroup)
                },
                logger: logger))
    }
}
