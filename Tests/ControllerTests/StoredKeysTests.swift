import ControllerCore
import FleetProtocol
import Testing

@testable import controller

@Suite("Stored API keys")
struct StoredKeysTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    @Test("API keys are in the store after it is opened again, until they are revoked")
    func persisted() throws {
        let madeAt = StoreBench.now.advanced(by: .milliseconds(123))
        let first = ControllerConfiguration.KnownKey("script", of: .ann, .of(1), madeAt: madeAt)
        let second = ControllerConfiguration.KnownKey("script", of: .ben, .of(2), scope: .read)
        try bench.open().append([
            .access(.keyAdded(first.key, first.digest)), .access(.keyAdded(second.key, second.digest)),
        ])
        #expect(try bench.open().keys() == [first, second])
        try bench.open().append([.access(.keysRevoked([first.digest]))])
        #expect(try bench.open().keys() == [second])
    }

    @Test("API keys from before scopes existed can switch devices")
    func withoutScope() throws {
        let known = ControllerConfiguration.KnownKey("script", of: .ann, .of(1))
        try bench.open().append([.access(.keyAdded(known.key, known.digest))])
        let db = try Database(path: bench.path)
        try TableChecksums.addFunction(to: db)
        try db.inTransaction(.immediate) {
            try db.execute("ALTER TABLE keys DROP COLUMN scope")
            try db.execute("DELETE FROM grdb_migrations WHERE identifier = 'scopes of keys'")
            try TableChecksums.sumUp(db)
        }
        #expect(try bench.open().keys() == [known])
    }
}
