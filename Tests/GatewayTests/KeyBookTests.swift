import Circumstances
import FleetProtocol
import Foundation
import GatewayCore
import Runtime
import Stepping
import Testing

@testable import gateway

@Suite("The file of clients' keys")
struct KeyBookTests {
    private let temporary: TemporaryDirectory
    private let directory: RunDirectory

    init() throws {
        temporary = try TemporaryDirectory()
        directory = RunDirectory(path: temporary.path)
    }

    private func book() -> KeyBook {
        let clock = SystemClock()
        return KeyBook(in: directory, clock: { clock.now() })
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

    /// Claims a key by a gateway that ends after it.
    private func claim(_ entry: KeyedRequests.Entry) async throws -> KeyedRequests.Claim {
        try await book().claim(entry)
    }

    @Test("outlives the gateway, and is its owner's alone")
    func restarted() async throws {
        let (first, second) = (entry(1), entry(2))
        #expect(try await claim(first) == .new)
        #expect(try await claim(second) == .new)
        #expect(try await claim(entry(1)) == .known(first.requestID))
        #expect(try await claim(entry(2, content: 2)) == .otherContent)
        let facts = try FileManager.default.attributesOfItem(atPath: directory.keyFile)
        #expect(facts[.posixPermissions] as? Int == 0o600)
    }

    @Test("loses no more than the record that is damaged or torn")
    func damaged() async throws {
        let entries = (1...4 as ClosedRange<UInt64>).map { entry($0) }
        for one in entries { _ = try await claim(one) }
        var bytes = [UInt8](try Data(contentsOf: URL(filePath: directory.keyFile)))
        bytes[80 + 20] ^= 1
        bytes.removeLast()
        try Data(bytes).write(to: URL(filePath: directory.keyFile))
        var claims: [KeyedRequests.Claim] = []
        for number in 1...4 as ClosedRange<UInt64> { claims.append(try await claim(entry(number))) }
        #expect(claims == [.known(entries[0].requestID), .new, .known(entries[2].requestID), .new])
    }

    @Test("is one gateway's: another refuses keys, and nothing is sent")
    func locked() async throws {
        let first = book()
        #expect(try await first.claim(entry(1)) == .new)
        await #expect(throws: APIError.self) { try await claim(entry(2)) }
        #expect(try await first.claim(entry(2)) == .new)
    }
}
