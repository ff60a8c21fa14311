import FleetProtocol
import FleetTime
import Foundation
import GatewayCore
import ProcessSupport
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

    private func keys() -> IdempotencyKeys {
        let clock = SystemClock()
        return IdempotencyKeys(in: directory, clock: { clock.now() })
    }

    private func entry(_ key: UInt64, content: UInt64 = 1) -> KeyedRequests.Entry {
        var generator = SeededGenerator(seed: key)
        // Later keys have later IDs, and so a later place in the file.
        let time = SystemClock().now().wall.advanced(by: .milliseconds(Int64(key)))
        return KeyedRequests.Entry(
            account: .init(high: 1, low: 1), key: .init(high: 1, low: key),
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

    @Test("a key file belongs to one gateway, and another one refuses keys and sends nothing")
    func locked() async throws {
        let first = keys()
        #expect(try await first.claim(entry(1)) == .new)
        await #expect(throws: APIError.self) { try await claim(entry(2)) }
        #expect(try await first.claim(entry(2)) == .new)
    }
}
