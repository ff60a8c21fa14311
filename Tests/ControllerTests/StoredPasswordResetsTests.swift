import ControllerCore
import FleetProtocol
import Testing

@testable import controller

@Suite("Stored password resets")
struct StoredPasswordResetsTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func reset(of email: Email, _ byte: UInt8, after delay: Duration) -> PasswordReset {
        PasswordReset(digest: .of(byte), email: email, begunAt: StoreBench.now.advanced(by: delay))
    }

    @Test("the newest reset of each email is in the store after it is opened again, until it ends")
    func persisted() throws {
        let first = reset(of: .ann, 1, after: .zero)
        let other = reset(of: .ben, 2, after: .seconds(1))
        let newer = reset(of: .ann, 3, after: .seconds(2))
        try bench.open().append([
            .access(.resetBegan(first)), .access(.resetBegan(other)), .access(.resetBegan(newer)),
        ])
        #expect(try bench.open().passwordResets() == [other, newer])
        try bench.open().append([.access(.resetEnded(other.email))])
        #expect(try bench.open().passwordResets() == [newer])
    }

    @Test("expired resets are deleted with the next one, so that unknown emails do not fill the store")
    func old() throws {
        let old = reset(of: .ann, 1, after: .zero)
        let new = reset(of: .ben, 2, after: PasswordReset.lifetime)
        let store = try bench.open()
        try store.append([.access(.resetBegan(old))])
        try store.append([.access(.resetBegan(new))])
        #expect(try store.passwordResets() == [new])
    }
}
