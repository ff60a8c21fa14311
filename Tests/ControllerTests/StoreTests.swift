import Circumstances
import ControllerCore
import FleetProtocol
import Runtime
import Stepping
import Testing

@testable import controller

@Suite("The store")
struct StoreTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> Store {
        let store = try Store(path: directory.path + "/controller.sqlite", durability: .process)
        _ = try store.beginEpoch(at: Self.now)
        return store
    }

    private static let now = WallTime(unixMilliseconds: 1_800_000_000_000)

    private func failures(of address: String, _ count: Int, after delay: Duration) throws -> LoginFailures {
        LoginFailures(
            email: try #require(Email(address)), count: count, lastAt: Self.now.advanced(by: delay))
    }

    @Test("knows who failed to log in when it is opened again, and how often")
    func failedLogins() throws {
        let first = try failures(of: "ann@example.com", 1, after: .zero)
        let second = try failures(of: "ann@example.com", 2, after: .seconds(1))
        let other = try failures(of: "ben@example.com", 7, after: .seconds(2))
        try open().append([.loginFailed(first), .loginFailed(second), .loginFailed(other)])
        #expect(try open().loginFailures() == [second, other])
        try open().append([.loginForgiven(second.email)])
        #expect(try open().loginFailures() == [other])
    }

    @Test("forgets failures that count no more, so that strangers' addresses do not fill it")
    func oldFailures() throws {
        let old = try failures(of: "ann@example.com", 3, after: .zero)
        let new = try failures(of: "ben@example.com", 1, after: LoginFailures.memory)
        let store = try open()
        try store.append([.loginFailed(old)])
        try store.append([.loginFailed(new)])
        #expect(try store.loginFailures() == [new])
    }

    @Test("keeps nothing for an epoch that is not its own any more")
    func fenced() throws {
        let store = try open()
        let later = try open()
        let known = try failures(of: "ann@example.com", 1, after: .zero)
        #expect(throws: StorageError.self) { try store.append([.loginFailed(known)]) }
        #expect(try later.loginFailures().isEmpty)
    }
}
