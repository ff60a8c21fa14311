import ControllerCore
import FleetProtocol
import FleetTime
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Stored password resets")
struct StoredRecoveriesTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private static let now = WallTime(unixMilliseconds: 1_800_000_000_000)

    private func open() throws -> Store {
        let store = try Store(path: directory.path + "/controller.sqlite", durability: .process)
        _ = try store.beginEpoch(at: Self.now)
        return store
    }

    private func recovery(of address: String, _ byte: UInt8, after delay: Duration) throws -> Recovery {
        Recovery(
            digest: try #require(TokenDigest([UInt8](repeating: byte, count: 32))),
            email: try #require(Email(address)), begunAt: Self.now.advanced(by: delay))
    }

    @Test("the newest reset of each email is in the store after it is opened again, until it ends")
    func kept() throws {
        let first = try recovery(of: "ann@example.com", 1, after: .zero)
        let other = try recovery(of: "ben@example.com", 2, after: .seconds(1))
        let newer = try recovery(of: "ann@example.com", 3, after: .seconds(2))
        try open().append([
            .access(.recoveryBegan(first)), .access(.recoveryBegan(other)), .access(.recoveryBegan(newer)),
        ])
        #expect(try open().recoveries() == [other, newer])
        try open().append([.access(.recoveryEnded(other.email))])
        #expect(try open().recoveries() == [newer])
    }

    @Test("expired resets are deleted with the next one, so that unknown emails do not fill the store")
    func old() throws {
        let old = try recovery(of: "ann@example.com", 1, after: .zero)
        let new = try recovery(of: "ben@example.com", 2, after: Recovery.lifetime)
        let store = try open()
        try store.append([.access(.recoveryBegan(old))])
        try store.append([.access(.recoveryBegan(new))])
        #expect(try store.recoveries() == [new])
    }
}
