import ControllerCore
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Stored password resets")
struct StoredPasswordResetsTests {
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

    private func reset(of address: String, _ byte: UInt8, after delay: Duration) throws -> PasswordReset {
        PasswordReset(
            digest: try #require(TokenDigest([UInt8](repeating: byte, count: 32))),
            email: try #require(Email(address)), begunAt: Self.now.advanced(by: delay))
    }

    @Test("the newest reset of each email is in the store after it is opened again, until it ends")
    func persisted() throws {
        let first = try reset(of: "ann@example.com", 1, after: .zero)
        let other = try reset(of: "ben@example.com", 2, after: .seconds(1))
        let newer = try reset(of: "ann@example.com", 3, after: .seconds(2))
        try open().append([
            .access(.resetBegan(first)), .access(.resetBegan(other)), .access(.resetBegan(newer)),
        ])
        #expect(try open().passwordResets() == [other, newer])
        try open().append([.access(.resetEnded(other.email))])
        #expect(try open().passwordResets() == [newer])
    }

    @Test("expired resets are deleted with the next one, so that unknown emails do not fill the store")
    func old() throws {
        let old = try reset(of: "ann@example.com", 1, after: .zero)
        let new = try reset(of: "ben@example.com", 2, after: PasswordReset.lifetime)
        let store = try open()
        try store.append([.access(.resetBegan(old))])
        try store.append([.access(.resetBegan(new))])
        #expect(try store.passwordResets() == [new])
    }
}
