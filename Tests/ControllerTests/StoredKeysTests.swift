import Circumstances
import ControllerCore
import FleetProtocol
import Runtime
import Stepping
import Testing

@testable import controller

@Suite("Stored keys")
struct StoredKeysTests {
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func open() throws -> Store {
        let store = try Store(path: directory.path + "/controller.sqlite", durability: .process)
        _ = try store.beginEpoch(at: WallTime(unixMilliseconds: 1_800_000_000_000))
        return store
    }

    private func key(
        _ name: String, of address: String, _ byte: UInt8
    ) throws
        -> ControllerConfiguration.KnownKey
    {
        ControllerConfiguration.KnownKey(
            digest: try #require(TokenDigest([UInt8](repeating: byte, count: 32))),
            key: APIKey(
                name: try #require(APIKey.Name(name)), user: try #require(Email(address)),
                madeAt: WallTime(unixMilliseconds: 1_800_000_000_123)))
    }

    @Test("are there when the store is opened again, until they are revoked")
    func kept() throws {
        let first = try key("script", of: "ann@example.com", 1)
        let second = try key("script", of: "ben@example.com", 2)
        try open().append([.keyAdded(first.key, first.digest), .keyAdded(second.key, second.digest)])
        #expect(try open().keys() == [first, second])
        try open().append([.keysRevoked([first.digest])])
        #expect(try open().keys() == [second])
    }
}
