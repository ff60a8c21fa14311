import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
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

    @Test("the store has users' login failures and their number after it is opened again")
    func failedLogins() throws {
        let first = try failures(of: "ann@example.com", 1, after: .zero)
        let second = try failures(of: "ann@example.com", 2, after: .seconds(1))
        let other = try failures(of: "ben@example.com", 7, after: .seconds(2))
        try open().append([
            .access(.loginFailed(first)), .access(.loginFailed(second)), .access(.loginFailed(other)),
        ])
        #expect(try open().loginFailures() == [second, other])
        try open().append([.access(.loginForgiven(second.email))])
        #expect(try open().loginFailures() == [other])
    }

    @Test("login failures that no longer count are deleted, so that unknown emails do not fill the store")
    func oldFailures() throws {
        let old = try failures(of: "ann@example.com", 3, after: .zero)
        let new = try failures(of: "ben@example.com", 1, after: LoginFailures.memory)
        let store = try open()
        try store.append([.access(.loginFailed(old))])
        try store.append([.access(.loginFailed(new))])
        #expect(try store.loginFailures() == [new])
    }

    @Test("the store has the times when sessions were opened and last used after it is opened again")
    func sessions() throws {
        let digest = try #require(TokenDigest([UInt8](repeating: 3, count: 32)))
        let email = try #require(Email("ann@example.com"))
        let used = Self.now.advanced(by: .seconds(86_400))
        try open().append([
            .access(.sessionOpened(digest, email, at: Self.now)), .access(.sessionUsed(digest, at: used)),
        ])
        #expect(
            try open().sessions() == [.init(digest: digest, email: email, openedAt: Self.now, usedAt: used)])
        try open().append([.access(.sessionsClosed([digest]))])
        #expect(try open().sessions().isEmpty)
    }

    @Test("a changed role of a user is in the store after it is opened again")
    func role() throws {
        let session = { (role: Session.Role) throws in
            Session(
                account: try #require(AccountID("demo")), email: try #require(Email("ann@example.com")),
                role: role, isOperator: true)
        }
        try open().append([
            .access(.userAdded(.init(session: try session(.viewer), passwordHash: "argon2id")))
        ])
        let changed = ControllerConfiguration.User(session: try session(.owner), passwordHash: "argon2id")
        try open().append([.access(.roleChanged(changed))])
        #expect(try open().users() == [changed])
    }

    @Test(
        "a store in which a row was changed, removed or restored is refused",
        arguments: [
            "UPDATE users SET role = 'owner'", "DELETE FROM keys", "UPDATE epoch SET value = value - 1",
            "INSERT INTO loginFailures VALUES ('eve@example.com', 1, 1)", "DROP INDEX loginFailuresByAge",
            "UPDATE progress SET changes = changes - 1", "UPDATE tableSums SET checksums = checksums + 1",
        ])
    func changed(by statement: String) throws {
        let store = try open()
        let email = try #require(Email("ann@example.com"))
        let session = Session(
            account: try #require(AccountID("demo")), email: email, role: .viewer, isOperator: false)
        try store.add(.init(session: session, passwordHash: "argon2id"))
        let key = APIKey(name: try #require(APIKey.Name("script")), user: email, madeAt: Self.now)
        try store.append([
            .access(.keyAdded(key, try #require(TokenDigest([UInt8](repeating: 1, count: 32)))))
        ])
        try store.close()
        let other = try Database(path: path)
        try other.execute(statement)
        try other.close()
        guard case .damaged(path, _)? = try refusal() else {
            Issue.record("it is not reported as damaged")
            return
        }
    }

    @Test("a missing store, or one without its witness, is refused, and none is created in its place")
    func missing() throws {
        try open().close()
        let witness = Witness.path(besideStore: path)
        for file in [path, witness] {
            try FileManager.default.moveItem(atPath: file, toPath: "\(file).away")
            #expect(throws: StorageError.missing(path: file)) { try open() }
            #expect(!FileManager.default.fileExists(atPath: file))
            try FileManager.default.moveItem(atPath: "\(file).away", toPath: file)
        }
        try open().close()
    }

    @Test(
        "a store emptied by a power failure is created again, and one emptied otherwise is refused",
        arguments: [false, true])
    func emptied(byPower: Bool) throws {
        try open().close()
        for suffix in ["", "-wal"] where FileManager.default.fileExists(atPath: path + suffix) {
            try FileManager.default.removeItem(atPath: path + suffix)
        }
        // The first tables were in the log, which was not on the disk.
        let empty = try Database(path: path)
        try empty.execute("PRAGMA journal_mode = WAL")
        try empty.close()
        let recorded = WitnessMark(boot: byPower ? "former" : SystemBoot.id, isOnDisk: false, number: 9)
        try SlotFile.make(
            [WitnessMark.slot(recorded), WitnessMark.slot(nil)], at: Witness.path(besideStore: path))
        guard byPower else {
            #expect(try refusal() == .damaged(path: path, what: "it is empty"))
            return
        }
        let known = try failures(of: "ann@example.com", 1, after: .zero)
        try open().append([.access(.loginFailed(known))])
        #expect(try open().loginFailures() == [known])
    }

    @Test("a store accepts no entries of a former epoch")
    func fenced() throws {
        let store = try open()
        let later = try open()
        let known = try failures(of: "ann@example.com", 1, after: .zero)
        #expect(throws: StorageError.self) { try store.append([.access(.loginFailed(known))]) }
        #expect(try later.loginFailures().isEmpty)
    }

    private var path: String { directory.path + "/controller.sqlite" }

    /// The error of a refused file, which must be unchanged afterwards, byte for byte.
    private func refusal() throws -> StorageError? {
        let before = try Data(contentsOf: URL(filePath: path))
        let error = #expect(throws: StorageError.self) { try Store(path: path, durability: .process) }
        #expect(try Data(contentsOf: URL(filePath: path)) == before)
        return error
    }

    @Test("a store of a newer version is refused and not changed, including its journal mode")
    func newer() throws {
        _ = try open()
        let other = try Database(path: path)
        try other.execute("INSERT INTO grdb_migrations VALUES ('of the future')")
        try other.execute("PRAGMA journal_mode = DELETE")
        try other.close()
        #expect(try refusal() == .newer(path: path))
    }

    @Test("a database of another program is refused and not changed")
    func foreign() throws {
        let other = try Database(path: path)
        try other.execute("CREATE TABLE songs (title TEXT)")
        try other.close()
        #expect(try refusal() == .damaged(path: path, what: "not a controller's store"))
    }

    @Test(
        "a damaged store, or a file that is not a database, is refused and not changed",
        arguments: [0, 4_096])
    func damaged(place: Int) throws {
        _ = try open()
        let url = URL(filePath: path)
        var bytes = try Data(contentsOf: url)
        bytes.replaceSubrange(place..<bytes.count, with: Data(repeating: 0x5a, count: bytes.count - place))
        try bytes.write(to: url)
        guard case .damaged(path, _)? = try refusal() else {
            Issue.record("it is not reported as damaged")
            return
        }
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
        let other = try Database(path: path)
        try other.execute("CREATE TABLE grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        try other.close()
        #expect(try open().users().isEmpty)
    }

    @Test("epochs continue from one far ahead of the clock, up to the largest")
    func epochFarAhead() throws {
        let store = try open()
        try store.raiseEpoch(to: Epoch(1 << 40 - 1))
        #expect(try open().beginEpoch(at: Self.now) == Epoch(1 << 40 + 1))
        try store.raiseEpoch(to: Epoch(Limits.largestOrdinal))
        #expect(throws: StorageError.self) { try open() }
    }
}
