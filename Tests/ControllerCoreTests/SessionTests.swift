import FleetProtocol
import FleetTime
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

    @Test("open with the right password, journalled before the token is told")
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

    @Test("do not open with a wrong password, or for somebody unknown, who takes as long")
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

    @Test("end by logout: the token is worth nothing from then on")
    func logout() throws {
        let bench = try Bench.withDevices()
        #expect(bench.replies(to: bench.ask(.logout(everywhere: false))) == [.signedOut(sessions: 1)])
        #expect(bench.refusal(of: bench.toggle().correlation) == .unauthenticated)
        #expect(bench.refusal(of: bench.ask(.status)) == .unauthenticated)
    }

    @Test("end everywhere at once, of this user alone")
    func logoutEverywhere() throws {
        let bench = try Bench.withDevices()
        _ = try login(bench)
        try finish(bench, didMatch: true)
        #expect(bench.replies(to: bench.ask(.logout(everywhere: true))) == [.signedOut(sessions: 2)])
        #expect(bench.refusal(of: bench.ask(.status, token: Self.fresh)) == .unauthenticated)
        #expect(bench.refusal(of: bench.ask(.status, token: Bench.viewerToken)) == nil)
    }

    @Test("end when idle for a week, and at thirty days whatever their use")
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
        "without a token, or with an unknown one, are none",
        arguments: [nil, TokenDigest([UInt8](repeating: 77, count: 32))])
    func unknown(token: TokenDigest?) throws {
        let bench = try Bench.withDevices()
        #expect(bench.refusal(of: bench.toggle(token: token).correlation) == .unauthenticated)
        #expect(bench.refusal(of: bench.ask(.snapshot(cursor: 0), token: token)) == .unauthenticated)
    }

    @Test("of viewers look on: they see devices, and switch and cancel nothing")
    func viewers() throws {
        let bench = try Bench.withDevices()
        guard case .notAllowed? = bench.refusal(of: bench.toggle(token: Bench.viewerToken).correlation),
            case .notAllowed? = bench.refusal(
                of: bench.ask(.cancel(bench.newID(), patience: nil), token: Bench.viewerToken))
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

    @Test("of other accounts see none of the devices and hear none of the outcomes")
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

    @Test("that are no operator's inject nothing")
    func operators() throws {
        let bench = try Bench.withDevices()
        let devices = [bench.rows[0].device]
        let request = ClientRequest.Body.inject(.hang, devices: devices, duration: .seconds(5))
        #expect(bench.replies(to: bench.ask(request)) == [.injected(devices: 1)])
        #expect(bench.sent() == [.fault(.hang, devices: devices, duration: .seconds(5))])
        guard case .notAllowed? = bench.refusal(of: bench.ask(request, token: Bench.strangerToken)) else {
            Issue.record("no operator, and not refused")
            return
        }
        guard case .invalid? = bench.refusal(of: bench.ask(.inject(.hang, devices: devices, duration: .zero)))
        else {
            Issue.record("a hang without a duration was taken")
            return
        }
    }

    @Test("an honest log-in is checked next, however many bad ones of others wait")
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

    @Test("who failed often waits, a second at most, and is never locked out")
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

    /// What is known of failures after as many in a row.
    private func failures(_ count: Int) throws -> LoginFailures {
        let bench = try Bench.withDevices()
        for _ in 0..<count {
            _ = try login(bench)
            bench.pass(.seconds(1))
            try finish(bench, didMatch: false)
        }
        guard case .loginFailed(let failures)? = bench.access.last else { throw NothingKept() }
        #expect(bench.access.count == count)
        return failures
    }

    private struct NothingKept: Error {}

    @Test("who failed often in an earlier life of the controller waits, unless it is long ago")
    func recalled() throws {
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

    @Test("who gets in at last is forgiven, and that is kept")
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
    @Test("numbers every update of an account without a gap, and beats repeat the last number")
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

    @Test("beats at once for whoever begins to watch, once a turn, and for nobody's account not at all")
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

    @Test("a snapshot carries the place in the stream, and all devices over its chunks, each once")
    func snapshot() throws {
        let bench = try Bench.withDevices(Limits.chunkRows + 10)
        let chunks = snapshot(of: bench)
        #expect(chunks.flatMap(\.rows).map(\.device) == bench.rows.map(\.device))
        #expect(chunks.allSatisfy { $0.epoch == Epoch(10) })
        #expect(chunks.flatMap(\.nodes).map(\.name.text) == ["node-1"])
    }

    @Test("a snapshot stops where it is told to, and tells where it could go on to, and how much there is")
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

    @Test("a snapshot has each of very many nodes once, before their devices, and no message too long")
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
