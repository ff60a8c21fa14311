import Logging
import ServiceLifecycle
import Synchronization
import Testing
import UnixSignals

@testable import gateway

/// How the services of a gateway end.
@Suite("Shutdown")
struct ShutdownTests {
    private func run(_ services: [any Service], until shutdown: Shutdown) async throws {
        try await ServiceGroup(services, until: shutdown, logger: Logger(label: "test")).run()
    }

    @Test("a service that ends unasked while others shut down fails nothing")
    func twoEndsAtOnce() async throws {
        let shutdown = await Shutdown(at: UnixSignalsSequence(trapping: []), leave: {})
        let (ends, feed) = AsyncStream.makeStream(of: Void.self)
        let watch = Watch(ends: ends)
        let companion = ServiceOnceListening(watch, until: shutdown)
        companion.begin()
        shutdown.request()
        try await run([companion, Slow(watch: watch, end: { feed.finish() })], until: shutdown)
        #expect(watch.hasEnded)
    }

    @Test("a service that has ended unasked ends the others")
    func ownEnd() async throws {
        let shutdown = await Shutdown(at: UnixSignalsSequence(trapping: []), leave: {})
        let companion = ServiceOnceListening(Watch(ends: AsyncStream { $0.finish() }), until: shutdown)
        companion.begin()
        try await run([Lasting(), companion, Lasting()], until: shutdown)
    }

    @Test("the error of a service is that of the group, and the process goes on")
    func failure() async throws {
        let shutdown = await Shutdown(at: UnixSignalsSequence(trapping: []), leave: { fatalError() })
        await #expect(throws: Failing.Failure.self) {
            try await run([Lasting(), Failing(), Lasting()], until: shutdown)
        }
    }

    /// Ends unasked, or when it is asked to.
    private final class Watch: Service {
        private let ends: AsyncStream<Void>
        private let ended = Mutex(false)

        init(ends: AsyncStream<Void>) { self.ends = ends }

        var hasEnded: Bool { ended.withLock { $0 } }

        func run() async throws {
            for await _ in ends.cancelOnGracefulShutdown() {}
            ended.withLock { $0 = true }
        }
    }

    /// Lets the watch end during its own turn, and then takes a while.
    private struct Slow: Service {
        /// The steps in which the group learns of an end.
        private static let steps = 10_000

        let watch: Watch
        let end: @Sendable () -> Void

        func run() async throws {
            try await gracefulShutdown()
            end()
            for _ in 0..<Self.steps { await Task.yield() }
            #expect(watch.hasEnded)
        }
    }

    private struct Lasting: Service {
        func run() async throws { try await gracefulShutdown() }
    }

    private struct Failing: Service {
        struct Failure: Error {}

        func run() async throws { throw Failure() }
    }
}
