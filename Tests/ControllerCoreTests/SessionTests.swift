import FleetProtocol
import Testing

@testable import ControllerCore

extension Bench {
    fileprivate func failToLogIn(_ times: Int) throws {
        for _ in 0..<times {
            login()
            pass(.seconds(1))
            try finishCheck(didMatch: false)
        }
    }
}

@Suite("Sessions")
struct SessionTests {
    private let bench = Bench.withDevices()

    @Test("a login with the right password opens a session, which is journalled before the reply")
    func opens() throws {
        let correlation = bench.login()
        #expect(bench.checks.map(\.storedHash) == ["hash of demo@sensibus.local"])
        try bench.finishCheck(didMatch: true)
        #expect(bench.session(of: correlation)?.account == .demo)
        #expect(bench.access.count == 1)
        #expect(bench.refusal(of: bench.toggle(token: .of(9)).correlation) == nil)
    }

    @Test("a login with a wrong password is refused, and an unknown user takes as long")
    func refuses() throws {
        let wrong = bench.login()
        try bench.finishCheck(didMatch: false)
        #expect(bench.refusal(of: wrong) == .unauthenticated)
        let unknown = bench.login(.ann)
        #expect(bench.checks.last?.storedHash == nil)
        try bench.finishCheck(didMatch: true)
        #expect(bench.refusal(of: unknown) == .unauthenticated)
        #expect(!bench.access.contains { if case .sessionOpened = $0 { true } else { false } })
    }

    @Test("a session's token is invalid after a logout")
    func logout() {
        #expect(bench.replies(to: bench.ask(.logout(everywhere: false))) == [.signedOut(sessions: 1)])
        #expect(bench.refusal(of: bench.toggle().correlation) == .unauthenticated)
        #expect(bench.refusal(to: .status) == .unauthenticated)
    }

    @Test("a logout everywhere ends all sessions of the user, and none of other users")
    func logoutEverywhere() throws {
        bench.login()
        try bench.finishCheck(didMatch: true)
        #expect(bench.replies(to: bench.ask(.logout(everywhere: true))) == [.signedOut(sessions: 2)])
        #expect(bench.refusal(to: .status, token: .of(9)) == .unauthenticated)
        #expect(bench.refusal(to: .status, token: Bench.viewerToken) == nil)
    }

    @Test("a session ends after a week without use, and after 30 days in any case")
    func ages() {
        let day = Duration.seconds(86_400)
        for _ in 0..<5 {
            bench.setClock(day * 6)
            let isTooOld = Bench.start.duration(to: bench.now.wall) >= day * 30
            #expect((bench.refusal(to: .status) != nil) == isTooOld)
        }
        #expect(bench.refusal(to: .status, token: Bench.viewerToken) == .unauthenticated)
    }

    @Test(
        "a request without a token or with an unknown one is unauthenticated",
        arguments: [nil, TokenDigest.of(77)])
    func unknown(token: TokenDigest?) {
        #expect(bench.refusal(of: bench.toggle(token: token).correlation) == .unauthenticated)
        #expect(bench.refusal(to: .snapshot(cursor: 0), token: token) == .unauthenticated)
    }

    @Test("viewers see devices, and cannot switch or cancel")
    func viewers() throws {
        let requests = [
            bench.toggle(token: Bench.viewerToken).correlation,
            bench.ask(.cancel(bench.newID(), timeout: nil), token: Bench.viewerToken),
        ]
        for request in requests { #expect(bench.refusal(of: request)?.kind == "notAllowed") }
        let chunk = try #require(bench.snapshot(token: Bench.viewerToken))
        #expect(chunk.rows.count == 3)
    }

    @Test("sessions of other accounts see neither devices nor outcomes")
    func accounts() throws {
        let chunk = try #require(bench.snapshot(token: Bench.strangerToken))
        #expect(chunk.rows.isEmpty)
        #expect(chunk.nodes.isEmpty)
        let toggle = bench.toggle()
        bench.carryOut(bench.commands[0])
        #expect(bench.refusal(to: .outcome(toggle.id), token: Bench.strangerToken) == .notFound)
    }

    @Test("sessions of users who are not operators cannot inject faults")
    func operators() {
        let devices = [bench.rows[0].device]
        let request = ClientRequest.Body.inject(.hang, devices: devices, duration: .seconds(5))
        #expect(bench.replies(to: bench.ask(request)) == [.injected(devices: 1)])
        #expect(bench.sent() == [.fault(.hang, devices: devices, duration: .seconds(5))])
        #expect(bench.refusal(to: request, token: Bench.strangerToken)?.kind == "notAllowed")
        #expect(bench.refusal(to: .inject(.hang, devices: devices, duration: .zero))?.kind == "invalid")
    }

    @Test("an honest login is checked next, regardless of how many bad ones wait")
    func fairness() throws {
        for source in 0..<UInt64(200) { bench.login(.eve, from: 1_000 + source) }
        for _ in 0..<10 { try bench.finishCheck(didMatch: false) }
        for source in 0..<UInt64(200) { bench.login(.eve, from: 2_000 + source) }
        let honest = bench.login(from: 5)
        #expect(bench.replies(to: honest).isEmpty)
        #expect(bench.checks.last?.storedHash == "hash of demo@sensibus.local")
        try bench.finishCheck(didMatch: true)
        #expect(bench.session(of: honest) != nil)
    }

    @Test("a user who failed often waits at most 1 s, and is never locked out")
    func softDelay() throws {
        try bench.failToLogIn(20)
        bench.effects = []
        let honest = bench.login()
        #expect(bench.checks.isEmpty)
        bench.pass(.seconds(1))
        try bench.finishCheck(didMatch: true)
        #expect(bench.session(of: honest) != nil)
    }

    /// The record of failures after that many in a row.
    private func failures(_ count: Int) throws -> LoginFailures {
        try bench.failToLogIn(count)
        #expect(bench.access.count == count)
        guard case .loginFailed(let failures)? = bench.access.last else { throw Bench.Refused(refusal: nil) }
        return failures
    }

    @Test("login failures before a restart delay the next login, unless they are long ago")
    func replayed() throws {
        let known = try failures(5)
        #expect(known.count == 5)
        let bench = Bench.withDevices { $0.loginFailures = [known] }
        bench.login()
        #expect(bench.checks.isEmpty)
        bench.pass(.seconds(1))
        #expect(bench.checks.count == 1)
        let past = known.lastAt.advanced(by: .zero - LoginFailures.memory - .seconds(60))
        let old = LoginFailures(email: known.email, count: known.count, lastAt: past)
        let later = Bench.withDevices { $0.loginFailures = [old] }
        later.login()
        #expect(later.checks.count == 1)
    }

    @Test("a successful login clears the failures, and that is stored")
    func forgiven() throws {
        let known = try failures(2)
        let bench = Bench.withDevices { $0.loginFailures = [known] }
        bench.login()
        bench.pass(.seconds(1))
        try bench.finishCheck(didMatch: true)
        #expect(bench.access.first == .loginForgiven(known.email))
        bench.effects = []
        bench.login()
        try bench.finishCheck(didMatch: true)
        #expect(!bench.access.contains(.loginForgiven(known.email)))
    }

    @Test("a session's use is stored once a day, not with every request")
    func storedUse() {
        let hour = Duration.seconds(3_600)
        for _ in 0..<50 {
            bench.now = bench.now.advanced(by: hour)
            bench.ask(.status)
        }
        let uses = bench.effects.compactMap { effect -> WallTime? in
            guard case .store(.access(.sessionUsed(Bench.token, let time))) = effect else { return nil }
            return time
        }
        #expect(uses.count == 2)
        #expect(uses.allSatisfy { Bench.start.duration(to: $0) >= hour * 24 })
    }

    @Test(
        "sessions survive a restart a week after they were opened, unless they were idle for a week",
        arguments: [2, 8])
    func usedBeforeRestart(daysIdle: Int) {
        let day = Duration.seconds(86_400)
        let bench = Bench { configuration in
            let opened = configuration.sessions[0]
            configuration.sessions[0] = .init(
                digest: opened.digest, email: opened.email,
                openedAt: opened.openedAt.advanced(by: .zero - day * 20),
                usedAt: opened.openedAt.advanced(by: .zero - day * daysIdle))
        }
        #expect((bench.refusal(to: .status) == nil) == (daysIdle < 7))
    }
}

@Suite("The stream")
struct StreamTests {
    private let bench = Bench.withDevices()

    @Test("updates of an account are numbered without a gap, and beats repeat the last number")
    func sequence() {
        for index in 0..<3 {
            bench.toggle(index)
            bench.carryOutNewest()
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
        bench.effects = []
        let account = AccountID.demo
        for _ in 0..<100 { bench.step(.subscribed(account)) }
        bench.step(.subscribed(try #require(AccountID("nobody"))))
        bench.step(.turn(lastTook: .zero))
        #expect(bench.updates.map(\.body) == [.beat])
        bench.step(.turn(lastTook: .zero))
        #expect(bench.updates.count == 1)
    }

    @Test("a snapshot has its place in the stream, and each device once over its chunks")
    func snapshot() throws {
        let bench = Bench.withDevices(Limits.chunkRows + 10)
        let chunks = try bench.snapshotChunks()
        #expect(chunks.flatMap(\.rows).map(\.device) == bench.rows.map(\.device))
        #expect(chunks.allSatisfy { $0.epoch == Epoch(10) })
        #expect(chunks.flatMap(\.nodes).map(\.name.text) == ["node-1"])
    }

    @Test("a snapshot ends at the requested cursor, and has the next cursor and the end")
    func part() throws {
        let bench = Bench.withDevices(Limits.chunkRows + 10)
        let chunks = try bench.snapshotChunks()
        let (first, end) = (try #require(chunks.first), try #require(chunks.last).nextCursor)
        #expect(chunks.map(\.endCursor) == [end, end])
        #expect(chunks.map(\.deviceCount) == [UInt32(bench.rows.count), 0])
        let start = first.nextCursor - UInt32(Limits.chunkRows)
        for (from, to) in [(start + 3, start + 8), (end - 4, end), (end - 4, end + 9)] {
            let part = try #require(bench.snapshot(from: from, to: to))
            let rows = bench.rows[Int(from - start)..<Int(min(to, end) - start)]
            #expect(part.rows.map(\.device) == rows.map(\.device))
            #expect(part.nextCursor == min(to, end) && part.isLast == (to >= end))
        }
    }

    @Test("a snapshot of many nodes has each once, before its devices, in messages within the size limit")
    func manyNodes() throws {
        let filler = String(repeating: "n", count: Limits.nodeNameBytes - 6)
        let names = (0..<2_000).map { "\(10_000 + $0)-\(filler)" }
        for (index, name) in names.enumerated() {
            let peer = ConnectionID(high: 9, low: UInt64(index))
            bench.hello(name, boot: BootID(bits: UInt64(index)), on: peer)
        }
        let chunks = try bench.snapshotChunks()
        #expect(chunks.flatMap(\.nodes).map(\.name.text) == ["node-1"] + names)
        #expect(chunks.flatMap(\.rows).count == 3)
        for chunk in chunks {
            let reply = ClientReply(correlation: .max, body: .snapshot(chunk))
            #expect(reply.wireBytes.count <= Limits.chunkBytes)
        }
    }
}
