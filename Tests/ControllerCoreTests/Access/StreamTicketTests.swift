import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Stream tickets")
struct StreamTicketTests {
    private let bench = Bench.withDevices()
    private let demo = AccountID.demo

    /// A secret of one repeated byte, with a stand-in for its SHA-256.
    private func fresh(_ byte: UInt8) -> FreshToken { FreshToken(.of(byte), digest: .of(byte)) }

    /// Requests a ticket of one repeated byte.
    @discardableResult
    private func ask(
        _ byte: UInt8, token: TokenDigest? = Bench.token, isUnattended: Bool = false
    ) -> ClientReply.Body? {
        bench.effects = []
        bench.step(
            .ticketRequest(
                Bench.client, correlation: UInt64(byte), digest: token, fresh: fresh(byte),
                isUnattended: isUnattended))
        return bench.replies(to: UInt64(byte)).last
    }

    private func subscribe(to byte: UInt8, isCertain: Bool = true) -> StreamTopic? {
        bench.controller.subscribe(.of(byte), isCertain: isCertain)
    }

    private func unsubscribe(from byte: UInt8) {
        bench.controller.unsubscribe(.of(byte), at: bench.now.monotonic)
    }

    /// A connected peer subscribes to a ticket.
    private func open(_ byte: UInt8) throws -> StreamTopic {
        let topic = try #require(subscribe(to: byte))
        #expect(bench.controller.settleStreams() == [demo])
        return topic
    }

    private func topics() -> [StreamTopic] { bench.controller.streamTopics(of: demo) }

    private var last: [StreamTopic] {
        bench.effects.compactMap { if case .publishLast(let topic, _) = $0 { topic } else { nil } }
    }

    @Test("a stream ticket is issued to a session for its own account, and to no unknown token")
    func given() throws {
        let topic = Topic.stream(of: demo)
        #expect(ask(1) == .streamTicket(StreamTicket(ticket: fresh(1).token, topic: topic)))
        #expect(ask(2, token: Bench.viewerToken) != nil)
        #expect(ask(3, token: .of(99)) == .refusal(.unauthenticated))
        #expect(ask(4, token: nil) == .refusal(.unauthenticated))
        #expect(try open(1).bytes.starts(with: topic))
        for unknown in UInt8(3)...5 {
            #expect(subscribe(to: unknown) == nil)
        }
        #expect(topics().count == 1)
    }

    @Test("a subscription opens its own stream after everything received with it was handled")
    func opened() throws {
        ask(1)
        ask(2)
        let first = try #require(subscribe(to: 1))
        let second = try #require(subscribe(to: 2))
        #expect(first != second)
        #expect(topics().isEmpty)
        #expect(bench.controller.settleStreams() == [demo, demo])
        #expect(topics() == [first, second])
        #expect(bench.controller.settleStreams().isEmpty)
    }

    @Test("a subscription whose approval may belong to another peer opens no stream")
    func doubtful() {
        ask(1)
        #expect(subscribe(to: 1, isCertain: false) == nil)
        #expect(bench.controller.settleStreams().isEmpty)
        #expect(topics().isEmpty)
    }

    @Test("a subscription that ended before everything was handled opens no stream")
    func ended() throws {
        ask(1)
        let before = try open(1)
        _ = subscribe(to: 1)
        // The end of the old connection, or of the new one.
        unsubscribe(from: 1)
        #expect(bench.controller.settleStreams().isEmpty)
        #expect(topics() == [before])
        unsubscribe(from: 1)
        #expect(topics().isEmpty)
    }

    @Test("a newer connection with the same ticket replaces the stream of the older one")
    func reconnected() throws {
        ask(1)
        let first = try open(1)
        let second = try open(1)
        #expect(topics() == [second])
        #expect(first.number < second.number)
        unsubscribe(from: 1)
        #expect(topics() == [second], "the older connection has ended")
    }

    @Test("a stream ticket expires after a minute without a connection, and not while it has one")
    func lifetime() throws {
        ask(1)
        ask(2)
        let topic = try open(1)
        bench.pass(StreamTickets.lifetime + .seconds(1))
        #expect(subscribe(to: 2) == nil)
        #expect(topics() == [topic])
        unsubscribe(from: 1)
        bench.pass(.seconds(30))
        let again = try open(1)
        unsubscribe(from: 1)
        bench.pass(StreamTickets.lifetime + .seconds(1))
        #expect(subscribe(to: 1) == nil)
        #expect(again.number > topic.number)
    }

    @Test("a stream ends with its session at the next turn, after a last update to that stream alone")
    func sessionEnds() throws {
        ask(1)
        ask(2, token: Bench.viewerToken)
        let (own, other) = (try open(1), try open(2))
        let viewer = Email.viewer
        bench.effects = []
        bench.ask(.removeUser(viewer))
        bench.step(.turn(lastTook: .zero))
        #expect(topics() == [own])
        #expect(last == [other])
        for case .publishLast(_, let update) in bench.effects {
            #expect(update.isLast && update.body == .beat)
        }
        #expect(subscribe(to: 2) == nil)
        bench.ask(.logout(everywhere: false))
        bench.step(.turn(lastTook: .zero))
        #expect(topics().isEmpty)
    }

    @Test("an open stream keeps its session in use")
    func retainsSession() throws {
        ask(1)
        let topic = try open(1)
        // Three weeks, in steps of half the idle limit of a session.
        for _ in 0..<6 {
            let later = bench.now.wall.advanced(by: Limits.sessionIdle / 2)
            bench.setClock(to: later)
            bench.effects = []
            bench.pass(Limits.beatInterval)
            #expect(topics() == [topic])
            let isStored = bench.effects.contains {
                if case .store(.access(.sessionUsed)) = $0 { true } else { false }
            }
            #expect(isStored, "the use is stored for a restart too")
        }
        bench.setClock(Sessions.longestAge)
        bench.pass(Limits.beatInterval)
        #expect(topics().isEmpty, "a session of that age has ended")
    }

    @Test("an unattended program's stream does not keep its session in use")
    func unattended() throws {
        ask(1, isUnattended: true)
        ask(2, token: Bench.viewerToken)
        let (abandoned, received) = (try open(1), try open(2))
        for step in 0..<4 {
            #expect(topics() == (step < 2 ? [abandoned, received] : [received]))
            let later = bench.now.wall.advanced(by: Limits.sessionIdle / 2)
            bench.setClock(to: later)
            bench.correlation += 1
            let poll = ClientRequest(
                correlation: bench.correlation, token: nil, isUnattended: true, body: .status)
            bench.step(.client(Bench.client, poll, digest: Bench.token))
            #expect((bench.refusal(of: bench.correlation) == nil) == (step < 1))
            bench.pass(Limits.beatInterval)
        }
        #expect(ask(3, isUnattended: true) == .refusal(.unauthenticated))
    }

    /// A ticket of a number.
    private static func ticket(_ number: Int) -> TokenDigest {
        valid(TokenDigest((0..<32).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }))
    }

    @Test("a ticket beyond a session's limit replaces its oldest without a connection")
    func sessionQuota() {
        var tickets = StreamTickets()
        let (session, other) = (Bench.token, Bench.viewerToken)
        func add(_ number: Int, for session: TokenDigest) -> Bool {
            tickets.add(Self.ticket(number), for: session, of: 0, at: bench.now.monotonic)
        }
        #expect(add(9_999, for: other))
        for number in 0..<StreamTickets.perSession {
            #expect(add(number, for: session))
        }
        _ = tickets.subscribe(Self.ticket(0), to: demo, isCertain: true)
        #expect(add(1_000, for: session))
        #expect(tickets.account(of: Self.ticket(0)) == 0)
        #expect(tickets.account(of: Self.ticket(1)) == nil)
        #expect(tickets.account(of: Self.ticket(9_999)) == 0)
        for number in Array(2..<StreamTickets.perSession) + [1_000] {
            _ = tickets.subscribe(Self.ticket(number), to: demo, isCertain: true)
        }
        #expect(!add(1_002, for: session))
        #expect(add(1_002, for: other))
    }

    @Test("a ticket beyond an account's limit replaces its oldest without a connection")
    func accountQuota() {
        var tickets = StreamTickets()
        func add(_ number: Int, for session: Int, of account: AccountIndex = 0) -> Bool {
            tickets.add(Self.ticket(number), for: Self.ticket(session), of: account, at: bench.now.monotonic)
        }
        #expect(add(9_999, for: 7, of: 1))
        for number in 0..<StreamTickets.perAccount {
            #expect(add(number, for: number / StreamTickets.perSession))
        }
        #expect(add(1_000, for: 8))
        #expect(tickets.account(of: Self.ticket(0)) == nil)
        #expect(tickets.account(of: Self.ticket(1)) == 0)
        #expect(tickets.account(of: Self.ticket(9_999)) == 1)
    }

    @Test("a session whose peers leave before their streams open is not approved for the rest of a minute")
    func drops() {
        var tickets = StreamTickets()
        let (session, now) = (Bench.token, bench.now.monotonic)
        let (own, other) = (Self.ticket(1), Self.ticket(2))
        /// Whether a peer that subscribes to a ticket is approved.
        func isApproved(_ ticket: TokenDigest) -> Bool {
            tickets.subscribe(ticket, to: demo, isCertain: true) != nil
        }
        tickets.expireIdle(at: now)
        _ = tickets.add(own, for: session, of: 0, at: now)
        _ = tickets.add(other, for: Bench.viewerToken, of: 0, at: now)
        for _ in 0..<StreamTickets.dropsAtMost {
            #expect(isApproved(own))
            tickets.unsubscribe(own, at: now)
        }
        let opened = tickets.settle()
        #expect(opened.isEmpty)
        #expect(!isApproved(own))
        #expect(isApproved(other))
        tickets.expireIdle(at: now.advanced(by: StreamTickets.dropInterval))
        #expect(isApproved(own))
    }
}
