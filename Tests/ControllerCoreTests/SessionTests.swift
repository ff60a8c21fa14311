import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Sessions")
struct SessionTests {
    private static let fresh = TokenDigest([UInt8](repeating: 9, count: 32))

    private func login(
        _ bench: Bench, _ email: String = "demo@sensibus.local", from source: UInt64 = 1
    ) throws
        -> UInt64
    {
        let body = ClientRequest.Body.login(
            email: try #require(Email(email)), password: try #require(Password("secret")))
        return bench.ask(body, token: nil, from: ConnectionID(high: source, low: 0))
    }

    private func checks(_ bench: Bench) -> [PasswordCheck] {
        bench.effects.compactMap { if case .checkPassword(let check) = $0 { check } else { nil } }
    }

    private func finish(_ bench: Bench, didMatch: Bool) throws {
        let token = try #require(Token([UInt8](repeating: 8, count: 32)))
        let ticket = try #require(checks(bench).last?.ticket)
        bench.step(
            .passwordChecked(
                ticket: ticket, didMatch: didMatch, token: token, digest: try #require(Self.fresh)))
    }

    @Test("a login with the right password opens a session, which is journalled before the reply")
    func opens() throws {
        let bench = try Bench.withDevices()
        let correlation = try login(bench)
        #expect(checks(bench).map(\.storedHash) == ["hash of demo@sensibus.local"])
        try finish(bench, didMatch: true)
        guard case .session(let session, _)? = bench.replies(to: correlation).first else {
            Issue.record("no session")
            return
        }
        #expect(session.account.name == "demo")
        #expect(bench.access.count == 1)
        #expect(bench.refusal(of: bench.toggle(token: Self.fresh).correlation) == nil)
    }

    @Test("a login with a wrong password is refused, and an unknown user takes as long")
    func refuses() throws {
        let bench = try Bench.withDevices()
        let wrong = try login(bench)
        try finish(bench, didMatch: false)
        #expect(bench.refusal(of: wrong) == .unauthenticated)
        let unknown = try login(bench, "nobody@sensibus.local")
        #expect(checks(bench).last?.storedHash == nil)
        try finish(bench, didMatch: true)
        #expect(bench.refusal(of: unknown) == .unauthenticated)
        #expect(!bench.access.contains { if case .sessionOpened = $0 { true } else { false } })
    }

    @Test("a session's token is invalid after a logout")
    func logout() throws {
        let bench = try Bench.withDevices()
        #expect(bench.replies(to: bench.ask(.logout(everywhere: false))) == [.signedOut(sessions: 1)])
        #expect(bench.refusal(of: bench.toggle().correlation) == .unauthenticated)
        #expect(bench.refusal(of: bench.ask(.status)) == .unauthenticated)
    }

    @Test("a logout everywhere ends all sessions of the user, and none of other users")
    func logoutEverywhere() throws {
        let bench = try Bench.withDevices()
        _ = try login(bench)
        try finish(bench, didMatch: true)
        #expect(bench.replies(to: bench.ask(.logout(everywhere: true))) == [.signedOut(sessions: 2)])
        #expect(bench.refusal(of: bench.ask(.status, token: Self.fresh)) == .unauthenticated)
        #expect(bench.refusal(of: bench.ask(.status, token: Bench.viewerToken)) == nil)
    }

    @Test("a session ends after a week without use, and after 30 days in any case")
    func ages() throws {
        let bench = try Bench.withDevices()
        let day = Duration.seconds(86_400)
        for _ in 0..<5 {
            bench.now = Moment(monotonic: bench.now.monotonic, wall: bench.now.wall.advanced(by: day * 6))
            let isTooOld = bench.refusal(of: bench.ask(.status)) != nil
            #expect(
                isTooOld
                    == (bench.now.wall >= WallTime(unixMilliseconds: 1_800_000_000_000).advanced(by: day * 30))
            )
        }
        #expect(bench.refusal(of: bench.ask(.status, token: Bench.viewerToken)) == .unauthenticated)
    }

    @Test(
        "a request without a token or with an unknown one is unauthenticated",
        arguments: [nil, TokenDigest([UInt8](repeating: 77, count: 32))])
    func unknown(token: TokenDigest?) throws {
        let bench = try Bench.withDevices()
        #expect(bench.refusal(of: bench.toggle(token: token).correlation) == .unauthenticated)
        #expect(bench.refusal(of: bench.ask(.snapshot(cursor: 0), token: token)) == .unauthenticated)
    }

    @Test("viewers see devices, and cannot switch or cancel")
    func viewers() throws {
        let bench = try Bench.withDevices()
        guard case .notAllowed? = bench.refusal(of: bench.toggle(token: Bench.viewerToken).correlation),
            case .notAllowed? = bench.refusal(
                of: bench.ask(.cancel(bench.newID(), timeout: nil), token: Bench.viewerToken))
        else {
            Issue.record("a viewer was not refused")
            return
        }
        guard
            case .snapshot(let chunk)? = bench.replies(
                to: bench.ask(.snapshot(cursor: 0), token: Bench.viewerToken)
            ).first
        else {
            Issue.record("no snapshot")
            return
        }
        #expect(chunk.rows.count == 3)
    }

    @Test("sessions of other accounts see neither devices nor outcomes")
    func accounts() throws {
        let bench = try Bench.withDevices()
        guard
            case .snapshot(let chunk)? = bench.replies(
                to: bench.ask(.snapshot(cursor: 0), token: Bench.strangerToken)
            ).first
        else {
            Issue.record("no snapshot")
            return
        }
        #expect(chunk.rows.isEmpty)
        #expect(chunk.nodes.isEmpty)
        let toggle = bench.toggle()
        bench.carryOut(bench.commands[0])
        #expect(bench.refusal(of: bench.ask(.outcome(toggle.id), token: Bench.strangerToken)) == .notFound)
    }

    @Test("sessions of users who are not operators cannot inject faults")
    func operators() throws {
        let bench = try Bench.withDevices()
        let devices = [bench.rows[0].device]
        let request = ClientRequest.Body.inject(.hang, devices: devices, duration: .seconds(5))
        #expect(bench.replies(to: bench.ask(request)) == [.injected(devices: 1)])
        #expect(bench.sent() == [.fault(.hang, devices: devices, duration: .seconds(5))])
        guard case .notAllowed? = bench.refusal(of: bench.ask(request, token: Bench.strangerToken)) else {
            Issue.record("a user who is not an operator was not refused")
            return
        }
        guard case .invalid? = bench.refusal(of: bench.ask(.inject(.hang, devices: devices, duration: .zero)))
        else {
            Issue.record("a hang without a duration was accepted")
            return
        }
    }

    @Test("an honest login is checked next, regardless of how many bad ones wait")
    func fairness() throws {
        let bench = try Bench.withDevices()
        for source in 0..<UInt64(200) { _ = try login(bench, "eve@sensibus.local", from: 1_000 + source) }
        for _ in 0..<10 { try finish(bench, didMatch: false) }
        for source in 0..<UInt64(200) { _ = try login(bench, "eve@sensibus.local", from: 2_000 + source) }
        let honest = try login(bench, from: 5)
        #expect(bench.replies(to: honest).isEmpty)
        #expect(checks(bench).last?.storedHash == "hash of demo@sensibus.local")
        try finish(bench, didMatch: true)
        guard case .session? = bench.replies(to: honest).first else {
            Issue.record("the honest one waits")
            return
        }
    }

    @Test("a user who failed often waits at most 1 s, and is never locked out")
    func softDelay() throws {
        let bench = try Bench.withDevices()
        for _ in 0..<20 {
            _ = try login(bench)
            bench.pass(.seconds(1))
            try finish(bench, didMatch: false)
        }
        bench.effects = []
        let honest = try login(bench)
        #expect(checks(bench).isEmpty)
        bench.pass(.seconds(1))
        try finish(bench, didMatch: true)
        guard case .session? = bench.replies(to: honest).first else {
            Issue.record("locked out")
            return
        }
    }

    /// The record of failures after that many in a row.
    private func failures(_ count: Int) throws -> LoginFailures {
        let bench = try Bench.withDevices()
        for _ in 0..<count {
            _ = try login(bench)
            bench.pass(.seconds(1))
            try finish(bench, didMatch: false)
        }
        guard case .loginFailed(let failures)? = bench.access.last else { throw NothingStored() }
        #expect(bench.access.count == count)
        return failures
    }

    private struct NothingStored: Error {}

    @Test("login failures before a restart delay the next login, unless they are long ago")
    func replayed() throws {
        let known = try failures(5)
        #expect(known.count == 5)
        let bench = try Bench.withDevices { $0.loginFailures = [known] }
        _ = try login(bench)
        #expect(checks(bench).isEmpty)
        bench.pass(.seconds(1))
        #expect(checks(bench).count == 1)
        let past = known.lastAt.advanced(by: .zero - LoginFailures.memory - .seconds(60))
        let old = LoginFailures(email: known.email, count: known.count, lastAt: past)
        let later = try Bench.withDevices { $0.loginFailures = [old] }
        _ = try login(later)
        #expect(checks(later).count == 1)
    }

    @Test("a successful login clears the failures, and that is stored")
    func forgiven() throws {
        let known = try failures(2)
        let bench = try Bench.withDevices { $0.loginFailures = [known] }
        _ = try login(bench)
        bench.pass(.seconds(1))
        try finish(bench, didMatch: true)
        #expect(bench.access.first == .loginForgiven(known.email))
        bench.effects = []
        _ = try login(bench)
        try finish(bench, didMatch: true)
        #expect(!bench.access.contains(.loginForgiven(known.email)))
    }
}

@Suite("The stream")
struct StreamTests {
    @Test("updates of an account are numbered without a gap, and beats repeat the last number")
    func sequence() throws {
        let bench = try Bench.withDevices()
        for index in 0..<3 {
            bench.toggle(index)
            bench.carryOut(try #require(bench.commands.last))
        }
        bench.passWithPings(.seconds(2))
        var last: UInt64?
        for effect in bench.effects {
            guard case .publish(let account, let update) = effect, account.name == "demo" else { continue }
            #expect(update.epoch == Epoch(10))
            if let last {
                #expect(update.sequence.value == (update.body == .beat ? last : last + 1))
            }
            last = update.sequence.value
        }
        #expect(bench.updates.filter { $0.body == .beat }.count >= 4)
    }

    @Test("a new subscriber gets a beat at once, once per turn, and unknown accounts get none")
    func welcome() throws {
        let bench = try Bench.withDevices()
        bench.effects = []
        let account = try #require(AccountID("demo"))
        for _ in 0..<100 { bench.step(.subscribed(account)) }
        bench.step(.subscribed(try #require(AccountID("nobody"))))
        bench.step(.turn(lastTook: .zero))
        #expect(bench.updates.map(\.body) == [.beat])
        bench.step(.turn(lastTook: .zero))
        #expect(bench.updates.count == 1)
    }

    /// Every chunk of the account's snapshot.
    private func snapshot(of bench: Bench) -> [SnapshotChunk] {
        var chunks: [SnapshotChunk] = []
        var cursor: UInt32 = 0
        for _ in 0..<100 {
            guard case .snapshot(let chunk)? = bench.replies(to: bench.ask(.snapshot(cursor: cursor))).first
            else { break }
            chunks.append(chunk)
            cursor = chunk.nextCursor
            if chunk.isLast { return chunks }
        }
        Issue.record("no last chunk")
        return chunks
    }

    @Test("a snapshot has its place in the stream, and each device once over its chunks")
    func snapshot() throws {
        let bench = try Bench.withDevices(Limits.chunkRows + 10)
        let chunks = snapshot(of: bench)
        #expect(chunks.flatMap(\.rows).map(\.device) == bench.rows.map(\.device))
        #expect(chunks.allSatisfy { $0.epoch == Epoch(10) })
        #expect(chunks.flatMap(\.nodes).map(\.name.text) == ["node-1"])
    }

    @Test("a snapshot ends at the requested cursor, and has the next cursor and the end")
    func part() throws {
        let bench = try Bench.withDevices(Limits.chunkRows + 10)
        let chunks = snapshot(of: bench)
        let (first, end) = (try #require(chunks.first), try #require(chunks.last).nextCursor)
        #expect(chunks.map(\.endCursor) == [end, end])
        #expect(chunks.map(\.deviceCount) == [UInt32(bench.rows.count), 0])
        let start = first.nextCursor - UInt32(Limits.chunkRows)
        for (from, to) in [(start + 3, start + 8), (end - 4, end), (end - 4, end + 9)] {
            let asked = bench.ask(.snapshot(cursor: from, end: to))
            guard case .snapshot(let part)? = bench.replies(to: asked).first else {
                Issue.record("no chunk")
                continue
            }
            let rows = bench.rows[Int(from - start)..<Int(min(to, end) - start)]
            #expect(part.rows.map(\.device) == rows.map(\.device))
            #expect(part.nextCursor == min(to, end) && part.isLast == (to >= end))
        }
    }

    @Test("a snapshot of many nodes has each once, before its devices, in messages within the size limit")
    func manyNodes() throws {
        let bench = try Bench.withDevices()
        let filler = String(repeating: "n", count: Limits.nodeNameBytes - 6)
        let names = (0..<2_000).map { "\(10_000 + $0)-\(filler)" }
        for (index, name) in names.enumerated() {
            let peer = ConnectionID(high: 9, low: UInt64(index))
            bench.hello(name, boot: BootID(bits: UInt64(index)), on: peer)
        }
        let chunks = snapshot(of: bench)
        #expect(chunks.flatMap(\.nodes).map(\.name.text) == ["node-1"] + names)
        #expect(chunks.flatMap(\.rows).count == 3)
        for chunk in chunks {
            let reply = ClientReply(correlation: .max, body: .snapshot(chunk))
            #expect(reply.wireBytes.count <= Limits.chunkBytes)
        }
    }
}
