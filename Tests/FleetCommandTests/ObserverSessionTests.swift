import FleetClient
import FleetProtocol
import FleetReplica
import FleetTime
import ObserverCore
import ProcessSupport
import Synchronization
import Testing

@testable import observer

@Suite("An observer's session", .timeLimit(.minutes(1)))
struct ObserverSessionTests {
    /// The notices shown beside the stream.
    private final class Notices: Sendable {
        private let notices = Mutex<[ObserverEvent.Notice]>([])

        var all: [ObserverEvent.Notice] { notices.withLock { $0 } }

        func add(_ notice: ObserverEvent.Notice) { notices.withLock { $0.append(notice) } }
    }

    private struct Listener: Presenter {
        let notices: Notices

        mutating func handle(
            _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
        ) {
            if case .notice(let notice) = event.body { notices.add(notice) }
        }
    }

    /// A clock that the test advances.
    private final class Clock: Sendable {
        private let time = Mutex(SystemClock().now())

        var now: Moment { time.withLock { $0 } }

        func pass(_ duration: Duration) { time.withLock { $0 = $0.advanced(by: duration) } }
    }

    private static func session(_ number: UInt8) throws -> StoredSession {
        StoredSession(
            email: try #require(Email("demo@sensibus.local")), account: try #require(AccountID("demo")),
            role: .owner, token: try #require(Token([UInt8](repeating: number, count: Token.length))))
    }

    @Test("a pull before the session is in use is repeated, and does not report the user as signed out")
    func earlyPull() async throws {
        let place = try TemporaryRunDirectory()
        let (notices, clock) = (Notices(), Clock())
        let watch = Watch(
            presenter: Listener(notices: notices), advice: "log in", output: .standardOutput,
            clock: { clock.now }, seed: 1)
        let endpoints = FleetClient.Endpoints(
            clients: try place.directory.endpoint(.clients), stream: try place.directory.endpoint(.stream))
        try await FleetClient.withClient(
            of: endpoints, threadName: "test", clock: { clock.now }, seed: 1
        ) { client in
            var pulls = watch.pulls.stream.makeAsyncIterator()
            await watch.receive(.connection(.established))
            await watch.answer(try #require(await pulls.next()), with: client)
            #expect(await !watch.isSignedOut)
            #expect(notices.all.isEmpty)
            clock.pass(.milliseconds(500))
            await watch.receive(.tick)
            #expect(await pulls.next() != nil)
        }
    }

    @Test("a refusal applies to the session of the refused request, not to its successor")
    func replaced() async throws {
        let notices = Notices()
        let clock = SystemClock()
        let watch = Watch(
            presenter: Listener(notices: notices), advice: "log in", output: .standardOutput,
            clock: { clock.now() }, seed: 1)
        try await watch.signIn(Self.session(1))
        let first = try #require(await watch.pullCredentials)
        try await watch.signIn(Self.session(2))
        await watch.refuse(first)
        #expect(await !watch.isSignedOut)
        let second = try #require(await watch.pullCredentials)
        await watch.refuse(second)
        #expect(await watch.isSignedOut)
        #expect(notices.all == [.signedOut("log in")])
    }
}
