import FleetProtocol
import Testing

@testable import ControllerCore

/// Cells whose messages arrive at once.
private final class CellBench {
    static let secret: TokenDigest = {
        guard let digest = TokenDigest([UInt8](repeating: 9, count: 32)) else {
            preconditionFailure("a digest has 32 bytes")
        }
        return digest
    }()
    static let client = ConnectionID(high: 1, low: 0)

    private(set) var cells: [CellName: Controller] = [:]
    let names: [CellName]
    private(set) var now = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
    /// The replies to clients, by correlation.
    private(set) var replies: [UInt64: ClientReply.Body] = [:]
    /// Cells that no message from another cell reaches.
    var isAway: Set<CellName> = []
    private var correlation: UInt64 = 0
    private var lastToken: UInt8 = 10
    /// The digest of the session that was opened last.
    var lastDigest: TokenDigest? { TokenDigest([UInt8](repeating: lastToken, count: 32)) }

    init(_ count: Int = 3) throws {
        names = try (1...count).map { try #require(CellName("c\($0)")) }
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
        send(.client(Self.client, request, digest: digest), to: cell)
        return correlation
    }

    func reply(_ body: ClientRequest.Body, at cell: CellName, digest: TokenDigest? = nil) -> ClientReply.Body?
    {
        replies[ask(body, at: cell, digest: digest)]
    }

    func ask(_ request: CellRequest, at cell: CellName) -> ClientReply.Body? {
        reply(.service(ServiceMessage(request)), at: cell, digest: Self.secret)
    }

    private func send(_ input: Controller.Input, to cell: CellName) {
        var effects = Controller.Effects()
        cells[cell]?.step(input, at: now, into: &effects)
        for sent in effects.replies where sent.client == Self.client {
            replies[sent.reply.correlation] = sent.reply.body
        }
        for case .check(let check) in effects.rare {
            lastToken += 1
            let bytes = [UInt8](repeating: lastToken, count: 32)
            guard let token = Token(bytes), let digest = TokenDigest(bytes) else { continue }
            let hash = check.password?.text
            send(
                .passwordChecked(
                    ticket: check.ticket, didMatch: hash != nil && hash == check.storedHash, token: token,
                    digest: digest, hash: check.storedHash == nil ? hash : nil),
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
                send(.cellReply(target, correlation: sent.reply.correlation, reply), to: cell)
            }
        }
    }
}

@Suite("Cells: where a user is")
struct CellTests {
    private let email: Email
    private let password: Password

    init() throws {
        email = try #require(Email("ann@example.org"))
        password = try #require(Password("open sesame"))
    }

    private var login: ClientRequest.Body { .login(email: email, password: password) }
    private var signUp: ClientRequest.Body { .selfService(.signUp(email: email, password: password)) }

    private func creation(_ account: String, _ email: Email) throws -> CellRequest {
        .create(
            AccountCreation(
                account: try #require(AccountID(account)), email: email, password: password, isOperator: true)
        )
    }

    /// The cell that signs a new user up: the others name it.
    private func home(in bench: CellBench) throws -> CellName {
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
        let bench = try CellBench()
        bench.pass(.seconds(1))
        let home = try home(in: bench)
        bench.pass(.seconds(2))
        for name in bench.names {
            let reply = bench.reply(login, at: name)
            if name == home {
                guard case .session(let session, _) = reply else {
                    Issue.record("\(String(describing: reply))")
                    continue
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
    func unknown() throws {
        let bench = try CellBench()
        bench.pass(.seconds(1))
        let replies = bench.names.map { bench.reply(login, at: $0) }
        #expect(replies.count { $0 == .refusal(.unauthenticated) } == 1)
        let named = Set(replies.compactMap { if case .refusal(.moved(let cell)) = $0 { cell } else { nil } })
        #expect(named.count == 1)
    }

    @Test("while the directory of another cell is missing, unknown users are answered as busy")
    func missing() throws {
        let bench = try CellBench()
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
    func restart() throws {
        let bench = try CellBench()
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
        let bench = try CellBench()
        bench.pass(.seconds(1))
        for (index, name) in bench.names.enumerated() {
            let email = try #require(Email("owner\(index)@example.org"))
            let number = bench.ask(
                .service(ServiceMessage(try creation("hotel-\(index)", email))), at: name,
                digest: CellBench.secret)
            #expect(bench.replies[number] == nil)
            #expect(
                bench.reply(.login(email: email, password: password), at: name)
                    == .refusal(.busy(retryAfter: Limits.directoryInterval)))
            bench.pass(.seconds(3))
            let account = try #require(AccountID("hotel-\(index)"))
            #expect(
                bench.replies[number] == .service(ServiceMessage(.created(account), to: CellRequest.self)))
            for other in bench.names where other != name {
                #expect(
                    bench.reply(.login(email: email, password: password), at: other) == .refusal(.moved(name))
                )
            }
            // The account and the email are taken, in every cell.
            let free = try #require(Email("free@example.org"))
            for other in bench.names {
                guard case .refusal(.invalid)? = bench.ask(try creation("hotel-\(index)", free), at: other),
                    case .refusal(.invalid)? = bench.ask(try creation("other", email), at: other)
                else {
                    Issue.record("the account or the email is accepted twice")
                    continue
                }
            }
        }
    }

    @Test("two cells that create the same account at once do not both succeed")
    func twice() throws {
        let bench = try CellBench()
        bench.pass(.seconds(1))
        let body = ClientRequest.Body.service(ServiceMessage(try creation("hotel", email)))
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
        let bench = try CellBench()
        bench.pass(.seconds(1))
        bench.isAway = [bench.names[2]]
        let number = bench.ask(
            .service(ServiceMessage(try creation("hotel", email))), at: bench.names[0],
            digest: CellBench.secret)
        bench.pass(.seconds(6))
        #expect(bench.replies[number] == .refusal(.busy(retryAfter: Limits.directoryInterval)))
        bench.isAway = []
        bench.pass(.seconds(2))
        _ = try home(in: bench)
    }

    @Test("one account is not created twice in a cell, whatever the emails")
    func oneAccount() throws {
        let bench = try CellBench()
        bench.pass(.seconds(1))
        let other = try #require(Email("bob@example.org"))
        let bodies = [email, other].map { try? creation("hotel", $0) }.compactMap(\.self)
        let numbers = bodies.map {
            bench.ask(.service(ServiceMessage($0)), at: bench.names[0], digest: CellBench.secret)
        }
        bench.pass(.seconds(6))
        #expect(bench.replies[numbers[0]] != nil)
        #expect(bench.replies[numbers[1]] == .refusal(.busy(retryAfter: .seconds(1))))
        guard case .refusal(.invalid)? = bench.ask(try creation("hotel", other), at: bench.names[0]) else {
            Issue.record("the account is created a second time")
            return
        }
    }

    @Test("an addition leaves no entry if the operator's session ends first")
    func endedOperator() throws {
        let bench = try CellBench()
        bench.pass(.seconds(1))
        _ = bench.ask(
            .service(ServiceMessage(try creation("hotel", email))), at: bench.names[0],
            digest: CellBench.secret)
        bench.pass(.seconds(3))
        guard case .session? = bench.reply(login, at: bench.names[0]) else {
            Issue.record("the owner cannot log in")
            return
        }
        let token = bench.lastDigest
        // Of a few users, one at least has another home.
        for number in 0..<4 {
            let added = try #require(Email("guest\(number)@example.org"))
            let user = User(email: added, role: .member, isOperator: false)
            _ = bench.ask(.addUser(user, password: password), at: bench.names[0], digest: token)
        }
        _ = bench.ask(.logout(everywhere: false), at: bench.names[0], digest: token)
        bench.pass(.seconds(6))
        for number in 0..<4 {
            let added = try #require(Email("guest\(number)@example.org"))
            let replies = bench.names.map { bench.reply(.login(email: added, password: password), at: $0) }
            // Either the user was added at once, here, or exists nowhere and can sign up.
            let isHere = replies.contains { if case .session? = $0 { true } else { false } }
            #expect(isHere || replies.contains(.refusal(.unauthenticated)))
        }
    }

    @Test("only the cells' token permits the requests of cells, and it permits nothing else")
    func token() throws {
        let bench = try CellBench()
        let name = bench.names[0]
        let message = ClientRequest.Body.service(ServiceMessage(CellRequest.status))
        #expect(bench.reply(message, at: name) == .refusal(.unauthenticated))
        #expect(bench.reply(message, at: name, digest: Bench.token) == .refusal(.unauthenticated))
        #expect(bench.reply(.status, at: name) == .refusal(.unauthenticated))
        for body in [
            ClientRequest.Body.status, .users, .service(ServiceMessage(LabelRequest.list(after: nil))),
        ] {
            guard case .refusal(.invalid)? = bench.reply(body, at: name, digest: CellBench.secret) else {
                Issue.record("\(body) is accepted")
                continue
            }
        }
    }

    @Test("the status names the other cells, and the accounts come in pages")
    func status() throws {
        let bench = try CellBench()
        bench.pass(.seconds(1))
        let home = try home(in: bench)
        guard case .service(let message)? = bench.ask(.status, at: home),
            case .status(let status)? = try message.reply(to: CellRequest.self)
        else { throw CancellationError() }
        #expect((status.cell, status.accounts, status.users) == (home, 1, 1))
        #expect(status.others.map(\.name) == bench.names.filter { $0 != home })
        #expect(status.others.allSatisfy { $0.isKnown && $0.hasSameCells })
        guard case .service(let list)? = bench.ask(.accounts(after: nil), at: home),
            case .accounts(let page)? = try list.reply(to: CellRequest.self)
        else { throw CancellationError() }
        #expect(page.accounts.map(\.users) == [1])
        #expect(page.isLast)
        let last = try #require(page.accounts.last?.account)
        let empty = AccountPage(accounts: [], isLast: true)
        #expect(
            bench.ask(.accounts(after: last), at: home)
                == .service(ServiceMessage(.accounts(empty), to: CellRequest.self)))
    }
}
