import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import Testing

@testable import controller

@Suite("The store")
struct StoreTests {
    private let bench: StoreBench

    init() throws { bench = try StoreBench() }

    private func failures(of email: Email, _ count: Int, after delay: Duration = .zero) -> LoginFailures {
        LoginFailures(email: email, count: count, lastAt: StoreBench.now.advanced(by: delay))
    }

    @Test("the store has users' login failures and their number after it is opened again")
    func failedLogins() throws {
        let first = failures(of: .ann, 1)
        let second = failures(of: .ann, 2, after: .seconds(1))
        let other = failures(of: .ben, 7, after: .seconds(2))
        try bench.open().append([
            .access(.loginFailed(first)), .access(.loginFailed(second)), .access(.loginFailed(other)),
        ])
        #expect(try bench.open().loginFailures() == [second, other])
        try bench.open().append([.access(.loginForgiven(second.email))])
        #expect(try bench.open().loginFailures() == [other])
    }

    @Test("login failures that no longer count are deleted, so that unknown emails do not fill the store")
    func oldFailures() throws {
        let old = failures(of: .ann, 3)
        let new = failures(of: .ben, 1, after: LoginFailures.memory)
        let store = try bench.open()
        try store.append([.access(.loginFailed(old))])
        try store.append([.access(.loginFailed(new))])
        #expect(try store.loginFailures() == [new])
    }

    @Test("the store has the times when sessions were opened and last used after it is opened again")
    func sessions() throws {
        let (digest, email) = (TokenDigest.of(3), Email.ann)
        let used = StoreBench.now.advanced(by: .seconds(86_400))
        try bench.open().append([
            .access(.sessionOpened(digest, email, at: StoreBench.now)),
            .access(.sessionUsed(digest, at: used)),
        ])
        #expect(
            try bench.open().sessions() == [
                .init(digest: digest, email: email, openedAt: StoreBench.now, usedAt: used)
            ])
        try bench.open().append([.access(.sessionsClosed([digest]))])
        #expect(try bench.open().sessions().isEmpty)
    }

    @Test("a changed role of a user is in the store after it is opened again")
    func role() throws {
        let changed = ControllerConfiguration.User(.ann, .owner)
        try bench.open().append([.access(.userAdded(.init(.ann, .viewer)))])
        try bench.open().append([.access(.roleChanged(changed))])
        #expect(try bench.open().users() == [changed])
    }

    @Test(
        "a store in which a row was changed, removed or restored is refused",
        arguments: [
            "UPDATE users SET role = 'owner'", "DELETE FROM keys", "UPDATE epoch SET value = value - 1",
            "INSERT INTO loginFailures VALUES ('eve@example.com', 1, 1)", "DROP INDEX loginFailuresByAge",
            "UPDATE progress SET changes = changes - 1", "UPDATE tableSums SET checksums = checksums + 1",
        ])
    func changed(by statement: String) throws {
        let store = try bench.open()
        try store.add(.init(.ann, .viewer))
        let known = ControllerConfiguration.KnownKey("script", of: .ann, .of(1))
        try store.append([.access(.keyAdded(known.key, known.digest))])
        try store.close()
        try Database.execute(statement, at: path)
        #expect(try refusal()?.description.hasPrefix("\(path) is damaged") == true)
    }

    @Test("a missing store, or one without its witness, is refused, and none is created in its place")
    func missing() throws {
        try bench.open().close()
        let witness = Witness.path(besideStore: path)
        for file in [path, witness] {
            try FileManager.default.moveItem(atPath: file, toPath: "\(file).away")
            #expect(throws: StorageError.missing(path: file)) { try bench.open() }
            #expect(!FileManager.default.fileExists(atPath: file))
            try FileManager.default.moveItem(atPath: "\(file).away", toPath: file)
        }
        try bench.open().close()
    }

    @Test(
        "a store emptied by a power failure is created again, and one emptied otherwise is refused",
        arguments: [false, true])
    func emptied(byPower: Bool) throws {
        try bench.open().close()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        // The first tables were in the log, which was not on the disk.
        try Database.execute("PRAGMA journal_mode = WAL", at: path)
        let recorded = WitnessMark(boot: byPower ? "former" : SystemBoot.id, isOnDisk: false, number: 9)
        try SlotFile.make(
            [WitnessMark.slot(recorded), WitnessMark.slot(nil)], at: Witness.path(besideStore: path))
        guard byPower else {
            #expect(try refusal() == .damaged(path: path, what: "it is empty"))
            return
        }
        let known = failures(of: .ann, 1)
        try bench.open().append([.access(.loginFailed(known))])
        #expect(try bench.open().loginFailures() == [known])
    }

    @Test("a store accepts no entries of a former epoch")
    func fenced() throws {
        let store = try bench.open()
        let later = try bench.open()
        let known = failures(of: .ann, 1)
        #expect(throws: StorageError.self) { try store.append([.access(.loginFailed(known))]) }
        #expect(try later.loginFailures().isEmpty)
    }

    private var path: String { bench.path }

    /// The error of a refused file, which must be unchanged afterwards, byte for byte.
    private func refusal() throws -> StorageError? {
        let before = try Data(contentsOf: URL(filePath: path))
        let error = #expect(throws: StorageError.self) { try Store(path: path, durability: .process) }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        return error
    }

    @Test("a store of a newer version is refused and not changed, including its journal mode")
    func newer() throws {
        _ = try bench.open()
        try Database.execute(
            "INSERT INTO grdb_migrations VALUES ('of the future'); PRAGMA journal_mode = DELETE", at: path)
        #expect(try refusal() == .newer(path: path))
    }

    @Test("a database of another program is refused and not changed")
    func foreign() throws {
        try Database.execute("CREATE TABLE songs (title TEXT)", at: path)
        #expect(try refusal() == .damaged(path: path, what: "not a controller's store"))
    }

    @Test(
        "a damaged store, or a file that is not a database, is refused and not changed",
        arguments: [0, 4_096])
    func damaged(place: Int) throws {
        _ = try bench.open()
        let url = URL(filePath: path)
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(place..<bytes.count, with: Data(repeating: 0x5a, count: bytes.count - place))
        try bytes.write(to: url)
        #expect(try refusal()?.description.hasPrefix("\(path) is damaged") == true)
    }

    @Test("a store that cannot be created, or has no write-ahead log, is an error with its path")
    func unwritable() throws {
        for path in ["/proc/self/task/controller.sqlite", ":memory:"] {
            let error = #expect(throws: StorageError.self) { try Store(path: path, durability: .process) }
            #expect(error?.description.hasPrefix("cannot use \(path)") == true)
        }
    }

    @Test("a store whose creation was interrupted is completed")
    func begun() throws {
        try Database.execute("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)", at: path)
        #expect(try bench.open().users().isEmpty)
    }

    @Test("epochs continue from one far ahead of the clock, up to the largest")
    func epochFarAhead() throws {
        let store = try bench.open()
        try store.raiseEpoch(to: Epoch(1 << 40 - 1))
        #expect(try bench.open().beginEpoch(at: StoreBench.now) == Epoch(1 << 40 + 1))
        try store.raiseEpoch(to: Epoch(Limits.largestOrdinal))
        #expect(throws: StorageError.self) { try bench.open() }
    }
}
