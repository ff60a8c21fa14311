import ControllerCore
import FleetProtocol
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Stored API keys")
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
        _ name: String, of address: String, _ byte: UInt8, _ scope: APIKey.Scope = .switch
    ) throws
        -> ControllerConfiguration.KnownKey
    {
        ControllerConfiguration.KnownKey(
            digest: try #require(TokenDigest([UInt8](repeating: byte, count: 32))),
            key: APIKey(
                name: try #require(APIKey.Name(name)), user: try #require(Email(address)),
                madeAt: WallTime(unixMilliseconds: 1_800_000_000_123), scope: scope))
    }

    @Test("API keys are in the store after it is opened again, until they are revoked")
    func persisted() throws {
        let first = try key("script", of: "ann@example.com", 1)
        let second = try key("script", of: "ben@example.com", 2, .read)
        try open().append([
            .access(.keyAdded(first.key, first.digest)), .access(.keyAdded(second.key, second.digest)),
        ])
        #expect(try open().keys() == [first, second])
        try open().append([.access(.keysRevoked([first.digest]))])
        #expect(try open().keys() == [second])
    }

    @Test("API keys from before scopes existed can switch devices")
    func withoutScope() throws {
        let known = try key("script", of: "ann@example.com", 1)
        let path = directory.path + "/controller.sqlite"
        try open().append([.access(.keyAdded(known.key, known.digest))])
        let db = try Database(path: path)
        try TableChecksums.addFunction(to: db)
        try db.inTransaction(.immediate) {
            try db.execute("ALTER TABLE keys DROP COLUMN scope")
            try db.execute("DELETE FROM grdb_migrations WHERE identifier = 'scopes of keys'")
            try TableChecksums.sumUp(db)
        }
        #expect(try open().keys() == [known])
    }
}
