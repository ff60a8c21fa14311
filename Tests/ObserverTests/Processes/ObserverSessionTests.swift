import FleetClient
import FleetProtocol
import FleetReplica
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
            presenter: Listener(notices: notices), sessions: SessionFiles(paths: [], account: nil),
            output: .standardOutput, clock: { clock.now }, seed: 1)
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

    /// Runs a body with a watch of these files, and a client without a controller.
    private func withWatch(
        of paths: (RunDirectory) -> [String] = { _ in [] },
        _ body: (Watch, FleetClient, RunDirectory, Notices) async throws -> Void
    ) async throws {
        let (temporary, notices, clock) = (try TemporaryRunDirectory(), Notices(), SystemClock())
        let place = temporary.directory
        let watch = Watch(
            presenter: Listener(notices: notices), sessions: SessionFiles(paths: paths(place), account: nil),
            output: .standardOutput, clock: { clock.now() }, seed: 1)
        let endpoints = FleetClient.Endpoints(
            clients: try place.endpoint(.clients), stream: try place.endpoint(.stream))
        try await FleetClient.withClient(
            of: endpoints, threadName: "test", clock: { clock.now() }, seed: 1
        ) { try await body(watch, $0, place, notices) }
    }

    @Test("a refusal applies to the session of the refused request, not to its successor")
    func replaced() async throws {
        try await withWatch { watch, client, _, notices in
            try await watch.signIn(Self.session(1), with: client)
            let first = try #require(await watch.pullCredentials)
            try await watch.signIn(Self.session(2), with: client)
            await watch.refuse(first)
            #expect(await !watch.isSignedOut)
            let second = try #require(await watch.pullCredentials)
            await watch.refuse(second)
            #expect(await watch.isSignedOut)
            #expect(notices.all == [.signedOut("run `fleet login`")])
        }
    }

    @Test(
        "after a refusal the session of the next file is used at once, and only the last refusal is reported")
    func nextFile() async throws {
        try await withWatch(of: { [$0.observerSessionFile, $0.sessionFile] }) {
            watch, client, place, notices in
            try Self.session(1).write(to: place.observerSessionFile)
            try Self.session(2).write(to: place.sessionFile)
            try await watch.signIn(Self.session(1), with: client)
            await watch.refuse(try #require(await watch.pullCredentials))
            #expect(try await watch.pullCredentials?.token == Self.session(2).token)
            #expect(notices.all.isEmpty)
            await watch.refuse(try #require(await watch.pullCredentials))
            try await watch.renewSession()
            #expect(notices.all == [.signedOut("run `fleet login`")])
            try Self.session(3).write(to: place.sessionFile)
            try await watch.renewSession()
            #expect(try await watch.pullCredentials?.token == Self.session(3).token)
            #expect(notices.all == [.signedOut("run `fleet login`"), .signedIn])
        }
    }

    @Test("an observer of a session file or an account without a session ends with status 69")
    func missing() throws {
        let temporary = try TemporaryRunDirectory()
        let place = temporary.directory
        #expect(throws: RuntimeError.noSession(path: "/nope")) {
            try SessionFiles(paths: ["/nope"], account: nil).requireSession()
        }
        try Self.session(1).write(to: place.sessionFile)
        let files = SessionFiles(paths: [place.sessionFile], account: AccountID("other"))
        let failure = #expect(throws: World.Failure.self) { try files.requireSession() }
        #expect(failure?.code == 69)
        #expect(failure?.text.hasPrefix("no session of account other in \(place.sessionFile): run") == true)
        try SessionFiles(paths: [place.sessionFile], account: AccountID("demo")).requireSession()
    }
}
