import FleetProtocol
import Testing

@testable import ControllerCore

/// Cells whose messages arrive at once.
private final class CellBench {
    static let secret = TokenDigest.of(9)

    private(set) var cells: [CellName: Controller] = [:]
    let names: [CellName]
    private(set) var now = Moment(monotonic: .zero, wall: Bench.start)
    /// The replies to clients, by correlation.
    private(set) var replies: [UInt64: ClientReply.Body] = [:]
    /// Cells that no message from another cell reaches.
    var isAway: Set<CellName> = []
    private var correlation: UInt64 = 0
    private var lastToken: UInt8 = 10
    /// The digest of the session that was opened last.
    var lastDigest: TokenDigest { .of(lastToken) }

    init(_ count: Int = 3) {
        names = (1...count).map { valid(CellName("c\($0)")) }
        for name in names { start(name) }
    }

    func start(_ name: CellName, epoch: UInt64 = 1) {
        var configuration = ControllerConfiguration(
            epoch: Epoch(epoch), users: [], seed: Self.hash(name.text.utf8))
        configuration.selfService = SelfService(signsUp: true, resetsPasswords: true)
        configuration.cells = CellConfiguration(
            own: name, others: names.filter { $0 != name }, digest: Self.secret,
            hash: { CellHash(high: Self.hash($0), low: UInt64($0.count)) })
        cells[name] = Controller(configuration, at: now)
    }

    private static func hash(_ bytes: some Sequence<UInt8>) -> UInt64 {
        bytes.reduce(1) { SeededGenerator.mixed($0 ^ UInt64($1)) }
    }

    /// Lets time pass, with a turn of each cell ten times a second.
    func pass(_ time: Duration) {
        let end = now.monotonic.advanced(by: time)
        while now.monotonic < end {
            let step = Duration.milliseconds(100)
            now = Moment(monotonic: now.monotonic.advanced(by: step), wall: now.wall.advanced(by: step))
            for name in names { send(.turn(lastTook: .zero), to: name) }
        }
    }

    func ask(_ body: ClientRequest.Body, at cell: CellName, digest: TokenDigest? = nil) -> UInt64 {
        correlation += 1
        let request = ClientRequest(correlation: correlation, token: nil, body: body)
        send(.client(Bench.client, request, digest: digest), to: cell)
        return correlation
    }

    func reply(_ body: ClientRequest.Body, at cell: CellName, digest: TokenDigest? = nil) -> ClientReply.Body?
    {
        replies[ask(body, at: cell, digest: digest)]
    }

    /// Sends a creation of an account; returns the number of the request.
    func create(_ request: CellRequest, at cell: CellName) -> UInt64 {
        ask(.service(ServiceMessage(request)), at: cell, digest: Self.secret)
    }

    func answer(to request: CellRequest, at cell: CellName) throws -> CellReply? {
        guard case .service(let message)? = ask(request, at: cell) else { return nil }
        return try message.reply(to: CellRequest.self)
    }

    func ask(_ request: CellRequest, at cell: CellName) -> ClientReply.Body? {
        reply(.service(ServiceMessage(request)), at: cell, digest: Self.secret)
    }

    private func send(_ input: Controller.Input, to cell: CellName) {
        var effects = Controller.Effects()
        cells[cell]?.step(input, at: now, into: &effects)
        for sent in effects.replies where sent.client == Bench.client {
            replies[sent.reply.correlation] = sent.reply.body
        }
        for case .check(let check) in effects.rare {
            lastToken += 1
            let hash = check.password?.text
            send(
                .passwordChecked(
                    ticket: check.ticket, didMatch: hash != nil && hash == check.storedHash,
                    token: .of(lastToken), digest: lastDigest, hash: check.storedHash == nil ? hash : nil),
                to: cell)
        }
        for case .hash(let hashing) in effects.rare {
            send(.passwordHashed(ticket: hashing.ticket, hash: hashing.password.text), to: cell)
        }
        for case .askCell(let sent) in effects.rare
        where !isAway.contains(sent.cell) && !isAway.contains(cell) {
            var other = Controller.Effects()
            let request = ClientRequest(
                correlation: sent.correlation, token: nil, body: .service(ServiceMessage(sent.request)))
            let target = sent.cell
            cells[target]?.step(
                .client(ConnectionID(high: 2, low: 0), request, digest: Self.secret), at: now, into: &other)
            for sent in other.replies {
                guard case .service(let message) = sent.reply.body,
                    let reply = try? message.reply(to: CellRequest.self)
                else { continue }
                send(.cell(.reply(target, correlation: sent.reply.correlation, reply)), to: cell)
            }
        }
    }
}

@Suite("Cells: where a user is")
struct CellTests {
    private let bench = CellBench()
    private let email = Email.ann

    private var login: ClientRequest.Body { .login(email: email, password: .secret) }
    private var signUp: ClientRequest.Body { .selfService(.signUp(email: email, password: .secret)) }

    private func creation(_ account: String, _ email: Email = .ann) -> CellRequest {
        .create(
            AccountCreation(
                account: valid(AccountID(account)), email: email, password: .secret, isOperator: true))
    }

    /// The cell that signs a new user up: the others name it.
    private func home() throws -> CellName {
        for name in bench.names {
            switch bench.reply(signUp, at: name) {
            case .session(let session, _): return try #require(session.cell)
            case .refusal(.moved(let cell)): #expect(cell != name)
            case let reply: Issue.record("\(String(describing: reply))")
            }
        }
        throw CancellationError()
    }

    @Test("all cells agree where a new user belongs, and later where the user is")
    func placement() throws {
        bench.pass(.seconds(1))
        let home = try home()
        bench.pass(.seconds(2))
        for name in bench.names {
            let reply = bench.reply(login, at: name)
            if name == home {
                guard case .session(let session, _) = reply else {
                    throw Bench.Refused(refusal: reply?.refusal)
                }
                #expect(session.cell == home)
            } else {
                #expect(reply == .refusal(.moved(home)))
                #expect(bench.reply(signUp, at: name) == .refusal(.moved(home)))
                #expect(bench.reply(.selfService(.forgotPassword(email)), at: name) == .refusal(.moved(home)))
            }
        }
    }

    @Test("an unknown user is refused by one cell only, so that the other cells' replies reveal nothing")
    func unknown() {
        bench.pass(.seconds(1))
        let replies = bench.names.map { bench.reply(login, at: $0) }
        #expect(replies.count { $0 == .refusal(.unauthenticated) } == 1)
        let named = Set(replies.compactMap { if case .refusal(.moved(let cell)) = $0 { cell } else { nil } })
        #expect(named.count == 1)
    }

    @Test("while the directory of another cell is missing, unknown users are answered as busy")
    func missing() {
        bench.isAway = [bench.names[2]]
        bench.pass(.seconds(3))
        let busy = ClientReply.Body.refusal(.busy(retryAfter: Limits.directoryInterval))
        for name in bench.names { #expect(bench.reply(login, at: name) == busy) }
        #expect(bench.reply(signUp, at: bench.names[0]) == busy)
        bench.isAway = []
        bench.pass(.seconds(1))
        #expect(bench.names.contains { bench.reply(login, at: $0) == .refusal(.unauthenticated) })
    }

    @Test("a cell that restarts waits for the directories again; the others keep the one that they have")
    func restart() {
        bench.pass(.seconds(1))
        bench.start(bench.names[0], epoch: 2)
        let busy = ClientReply.Body.refusal(.busy(retryAfter: Limits.directoryInterval))
        #expect(bench.reply(login, at: bench.names[0]) == busy)
        #expect(bench.reply(login, at: bench.names[1]) != busy)
        bench.pass(.seconds(1))
        #expect(bench.reply(login, at: bench.names[0]) != busy)
    }

    @Test("an account is created in any cell once the others know it, and never twice")
    func creation() throws {
        bench.pass(.seconds(1))
        for (index, name) in bench.names.enumerated() {
            let email = try #require(Email("owner\(index)@example.org"))
            let number = bench.create(creation("hotel-\(index)", email), at: name)
            #expect(bench.replies[number] == nil)
            #expect(
                bench.reply(.login(email: email, password: .secret), at: name)
                    == .refusal(.busy(retryAfter: Limits.directoryInterval)))
            bench.pass(.seconds(3))
            let account = try #require(AccountID("hotel-\(index)"))
            #expect(
                bench.replies[number] == .service(ServiceMessage(.created(account), to: CellRequest.self)))
            for other in bench.names where other != name {
                #expect(
                    bench.reply(.login(email: email, password: .secret), at: other) == .refusal(.moved(name))
                )
            }
            // The account and the email are taken, in every cell.
            let free = try #require(Email("free@example.org"))
            for other in bench.names {
                for taken in [creation("hotel-\(index)", free), creation("other", email)] {
                    #expect(bench.ask(taken, at: other)?.refusal?.kind == "invalid")
                }
            }
        }
    }

    @Test("two cells that create the same account at once do not both succeed")
    func twice() {
        bench.pass(.seconds(1))
        let body = ClientRequest.Body.service(ServiceMessage(creation("hotel")))
        let numbers = bench.names.map { bench.ask(body, at: $0, digest: CellBench.secret) }
        bench.pass(.seconds(6))
        let created = numbers.count { number in
            if case .service? = bench.replies[number] { true } else { false }
        }
        #expect(created <= 1)
        #expect(numbers.allSatisfy { bench.replies[$0] != nil })
    }

    @Test("a creation gives up while another cell does not answer, and leaves nothing behind")
    func givenUp() throws {
        bench.pass(.seconds(1))
        bench.isAway = [bench.names[2]]
        let number = bench.create(creation("hotel"), at: bench.names[0])
        bench.pass(.seconds(6))
        #expect(bench.replies[number] == .refusal(.busy(retryAfter: Limits.directoryInterval)))
        bench.isAway = []
        bench.pass(.seconds(2))
        _ = try home()
    }

    @Test("one account is not created twice in a cell, whatever the emails")
    func oneAccount() throws {
        bench.pass(.seconds(1))
        let other = try #require(Email("bob@example.org"))
        let bodies = [email, other].map { creation("hotel", $0) }.compactMap(\.self)
        let numbers = bodies.map {
            bench.ask(.service(ServiceMessage($0)), at: bench.names[0], digest: CellBench.secret)
        }
        bench.pass(.seconds(6))
        #expect(bench.replies[numbers[0]] != nil)
        #expect(bench.replies[numbers[1]] == .refusal(.busy(retryAfter: .seconds(1))))
        #expect(bench.ask(creation("hotel", other), at: bench.names[0])?.refusal?.kind == "invalid")
    }

    @Test("an addition leaves no entry if the operator's session ends first")
    func endedOperator() throws {
        bench.pass(.seconds(1))
        _ = bench.create(creation("hotel"), at: bench.names[0])
        bench.pass(.seconds(3))
        let login = bench.reply(login, at: bench.names[0])
        #expect(login?.refusal == nil && login != nil)
        let token = bench.lastDigest
        // Of a few users, one at least has another home.
        for number in 0..<4 {
            let added = try #require(Email("guest\(number)@example.org"))
            let user = User(email: added, role: .member, isOperator: false)
            _ = bench.ask(.addUser(user, password: .secret), at: bench.names[0], digest: token)
        }
        _ = bench.ask(.logout(everywhere: false), at: bench.names[0], digest: token)
        bench.pass(.seconds(6))
        for number in 0..<4 {
            let added = try #require(Email("guest\(number)@example.org"))
            let replies = bench.names.map { bench.reply(.login(email: added, password: .secret), at: $0) }
            // Either the user was added at once, here, or exists nowhere and can sign up.
            let isHere = replies.contains { if case .session? = $0 { true } else { false } }
            #expect(isHere || replies.contains(.refusal(.unauthenticated)))
        }
    }

    @Test("only the cells' token permits the requests of cells, and it permits nothing else")
    func token() {
        let name = bench.names[0]
        let message = ClientRequest.Body.service(ServiceMessage(CellRequest.status))
        #expect(bench.reply(message, at: name) == .refusal(.unauthenticated))
        #expect(bench.reply(message, at: name, digest: Bench.token) == .refusal(.unauthenticated))
        #expect(bench.reply(.status, at: name) == .refusal(.unauthenticated))
        for body in [
            ClientRequest.Body.status, .users, .service(ServiceMessage(LabelRequest.list(after: nil))),
        ] {
            let reply = bench.reply(body, at: name, digest: CellBench.secret)
            #expect(reply?.refusal?.kind == "invalid", "\(body)")
        }
    }

    @Test("the status names the other cells, and the accounts come in pages")
    func status() throws {
        bench.pass(.seconds(1))
        let home = try home()
        guard case .status(let status)? = try bench.answer(to: .status, at: home),
            case .accounts(let page)? = try bench.answer(to: .accounts(after: nil), at: home)
        else { throw CancellationError() }
        #expect((status.cell, status.accounts, status.users) == (home, 1, 1))
        #expect(status.others.map(\.name) == bench.names.filter { $0 != home })
        #expect(status.others.allSatisfy { $0.isKnown && $0.hasSameCells })
        #expect(page.accounts.map(\.users) == [1])
        #expect(page.isLast)
        let last = try #require(page.accounts.last?.account)
        let empty = AccountPage(accounts: [], isLast: true)
        #expect(try bench.answer(to: .accounts(after: last), at: home) == .accounts(empty))
    }
}
