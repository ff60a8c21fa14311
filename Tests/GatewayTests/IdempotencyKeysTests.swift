import FleetProtocol
import Foundation
import GatewayCore
import ProcessSupport
import Synchronization
import TestSupport
import Testing

@testable import gateway

@Suite("The file of idempotency keys")
struct IdempotencyKeysTests {
    private let temporary: TemporaryDirectory
    private let directory: RunDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = RunDirectory(path: temporary.path)
    }

    private func keys(wallAhead ahead: @escaping @Sendable () -> Duration = { .zero }) -> IdempotencyKeys {
        let clock = SystemClock()
        return IdempotencyKeys(in: directory) {
            let now = clock.now()
            return Moment(monotonic: now.monotonic, wall: now.wall.advanced(by: ahead()))
        }
    }

    private func entry(_ key: UInt64, content: UInt64 = 1) -> KeyedRequests.Entry {
        var generator = SeededGenerator(seed: key)
        // Later keys have later IDs, and so a later place in the file.
        let time = SystemClock().now().wall.advanced(by: .milliseconds(Int64(key)))
        return KeyedRequests.Entry(
            caller: .init(high: 1, low: 1), key: .init(high: 1, low: key),
            content: .init(high: content, low: 1),
            requestID: RequestID(at: time, using: &generator))
    }

    /// Claims a key through a gateway that ends after it.
    private func claim(_ entry: KeyedRequests.Entry) async throws -> KeyedRequests.Claim {
        try await keys().claim(entry)
    }

    @Test("the key file survives a restart of the gateway, and only its owner can read it")
    func restarted() async throws {
        let (first, second) = (entry(1), entry(2))
        #expect(try await claim(first) == .new)
        #expect(try await claim(second) == .new)
        #expect(try await claim(entry(1)) == .known(first.requestID))
        #expect(try await claim(entry(2, content: 2)) == .otherContent)
        let facts = try FileManager.default.attributesOfItem(atPath: directory.keyFile)
        #expect(facts[.posixPermissions] as? Int == 0o600)
    }

    /// Four keys as a killed gateway leaves them, after a loss or damage of their file.
    private func claims(after change: (inout [UInt8]) -> Void) async throws -> [KeyedRequests.Claim] {
        let entries = (1...4 as ClosedRange<UInt64>).map { entry($0) }
        for one in entries { _ = try await claim(one) }
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: directory.keyFile)))
        change(&bytes)
        try Data(bytes).write(to: URL(filePath: directory.keyFile))
        var claims: [KeyedRequests.Claim] = []
        for (index, first) in entries.enumerated() {
            let claim = try await claim(entry(UInt64(index) + 1))
            #expect(claim == .new || claim == .known(first.requestID))
            claims.append(claim)
        }
        return claims
    }

    @Test("a key file loses only the incomplete record at its end")
    func torn() async throws {
        let claims = try await claims { $0.removeLast() }
        #expect(claims.map { $0 == .new } == [false, false, false, true])
    }

    @Test(
        "a key file loses only records at its end that a power failure left as zeros", arguments: [80, 100])
    func zeros(count: Int) async throws {
        let claims = try await claims { bytes in
            bytes.replaceSubrange(bytes.count - count..<bytes.count, with: repeatElement(0, count: count))
            bytes += repeatElement(0, count: 200)
        }
        #expect(claims.map { $0 == .new } == [false, false, count > 80, true])
    }

    @Test(
        "a key file with a damaged record is refused with its name and not changed",
        arguments: [20, 80 + 70, 3 * 80 + 5])
    func damaged(place: Int) async throws {
        let path = directory.keyFile
        await #expect(throws: APIError.self) {
            try await claims { $0[place] ^= 1 }
        }
        let bytes = try Data(contentsOf: URL(filePath: path))
        var table = KeyedRequests()
        let error = #expect(throws: KeyFile.Damage.self) {
            try KeyFile(in: directory, into: &table, at: SystemClock().now())
        }
        #expect(error?.description.hasPrefix("\(path) is damaged") == true)
        #expect(try Data(contentsOf: URL(filePath: path)) == bytes)
        #expect(table.count == 0)
    }

    /// The number of keys that a later gateway finds.
    private func storedKeys() throws -> Int {
        var table = KeyedRequests()
        _ = try KeyFile(in: directory, into: &table, at: SystemClock().now())
        return table.count
    }

    @Test(
        "a refused change takes no place, with every role, scope and status",
        arguments: Session.Role.allCases, [nil, .switch, .read] as [APIKey.Scope?])
    func refused(role: Session.Role, scope: APIKey.Scope?) async throws {
        let email = try #require(Email("demo@sensibus.local"))
        let name = try #require(APIKey.Name("program"))
        let session = Session(
            account: try #require(AccountID("demo")), email: email, role: role, isOperator: false,
            key: scope.map {
                APIKey(name: name, user: email, madeAt: WallTime(unixMilliseconds: 0), scope: $0)
            })
        let objection = session.commandRefusal.flatMap { APIError($0, to: .nothing) }
        #expect((objection == nil) == (role != .viewer && scope != .read))
        let errors: [(Int, APIError)] = [
            (400, .badRequest("x")), (401, .loginRequired), (403, .notAllowed("x")), (404, .noSuchPod),
            (409, .fault(status: 409)), (422, .keyReused), (429, .busy(retryAfter: .seconds(1))),
            (503, .storageFull(retryAfter: .seconds(1))),
        ]
        do {
            let keys = self.keys()
            for (number, (status, error)) in errors.enumerated() {
                #expect(error.status == status)
                let entry = self.entry(UInt64(number))
                await #expect(throws: objection ?? error) {
                    try await keys.carryOut(entry, unless: objection) { _, _ async throws(APIError) in
                        throw error
                    }
                }
            }
        }
        #expect(try storedKeys() == 0)
    }

    @Test("a change that is made, or may be made, keeps its key for repeats, which no objection stops")
    func carriedOut() async throws {
        let errors: [APIError?] = [nil, .unavailable, .timedOut, .unanswered, .broken("x")]
        do {
            let keys = self.keys()
            for (number, error) in errors.enumerated() {
                let first = entry(UInt64(number))
                for isRepeat in [false, true] {
                    let answer = try? await keys.carryOut(
                        isRepeat ? entry(UInt64(number)) : first, unless: isRepeat ? .noSuchPod : nil
                    ) { requestID, isKnown async throws(APIError) in
                        #expect((requestID, isKnown) == (first.requestID, isRepeat))
                        if let error { throw error }
                        return .done
                    }
                    #expect((answer == .done) == (error == nil))
                }
            }
        }
        #expect(try storedKeys() == errors.count)
    }

    @Test(
        "a step of the wall clock removes no key, in one gateway and over a restart",
        arguments: [Duration.seconds(90_000), .seconds(-90_000)])
    func stepped(by step: Duration) async throws {
        let first = entry(1)
        let offset = Mutex(Duration.zero)
        do {
            let keys = self.keys(wallAhead: { offset.withLock { $0 } })
            #expect(try await keys.claim(first) == .new)
            offset.withLock { $0 = step }
            #expect(try await keys.claim(entry(2)) == .new)
            #expect(try await keys.claim(entry(1)) == .known(first.requestID))
        }
        #expect(try await keys(wallAhead: { step + step }).claim(entry(1)) == .known(first.requestID))
    }

    @Test(
        "a key that a full disk cannot store is refused with 503, and is new once there is room",
        .enabled(if: SmallDisk.isAllowed), arguments: [false, true])
    func full(isOpen: Bool) async throws {
        let disk = try SmallDisk()
        let clock = SystemClock()
        let keys = IdempotencyKeys(in: RunDirectory(path: disk.path), clock: { clock.now() })
        if isOpen { #expect(try await keys.claim(entry(1)) == .new) }
        try disk.fill()
        var refused: (key: UInt64, answer: APIResponse)?
        // A page of the disk has room for some keys.
        for key in 2...100 as ClosedRange<UInt64> where refused == nil {
            do throws(APIError) {
                #expect(try await keys.claim(entry(key)) == .new)
            } catch {
                refused = (key, APIResponse(error, prefersJSON: true))
            }
        }
        let (key, answer) = try #require(refused)
        #expect(answer.status == 503)
        #expect(answer.retryAfter == .seconds(1))
        try disk.clear()
        #expect(try await keys.claim(entry(key)) == .new)
    }

    @Test("a key file belongs to one gateway, and another one refuses keys and sends nothing")
    func locked() async throws {
        let first = keys()
        #expect(try await first.claim(entry(1)) == .new)
        await #expect(throws: APIError.self) { try await claim(entry(2)) }
        #expect(try await first.claim(entry(2)) == .new)
    }
}
