import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("A store of the version that used GRDB")
struct FormerStoreTests {
    private let directory: TemporaryDirectory
    private var path: String { directory.path + "/controller.sqlite" }

    init() throws {
        directory = try TemporaryDirectory()
        try Database.execute(try Database.script("former-store"), at: path)
        // The dump has no witness beside it.
        try Database.execute("UPDATE progress SET isWitnessed = 0; PRAGMA journal_mode = WAL", at: path)
    }

    @Test("a store that GRDB wrote opens with its content, and its checksums match")
    func opened() throws {
        let store = try Store(path: path, durability: .process)
        #expect(try store.users().map(\.session.email.address) == ["ann@example.com", "demo@sensibus.local"])
        #expect(try store.sessions().count == 2)
        #expect(try store.keys().map(\.key.name.text) == ["script"])
        #expect(try store.nodes().map(\.devices.count) == [3])
        let texts = try contents(LogbookRecord.self, in: store).compactMap { record in
            switch record {
            case .post(let post, _): post.body
            case .comment(let comment, _): comment.body
            case .marks: nil
            }
        }
        #expect(texts == ["The fan — of Kitchen 1 — is 'loud'; \"call\" Ola.", "Fixed ☃"])
        let site = try #require(SiteID("prcy8libeL"))
        #expect(
            try contents(SiteRecord.self, in: store) == [
                .site(Site(id: site, version: SiteVersion(1), profile: try SiteProfile(name: "Home"))),
                .device(DeviceID(constant: "SaoErzld"), at: site),
                .device(DeviceID(constant: "VMe9BNPT"), at: site),
            ])
        let roster = try contents(RosterRecord.self, in: store)
        #expect(roster.count == 15)
        #expect(
            roster.first
                == .shift(
                    try Shift(
                        who: "Demo", email: Email("demo@sensibus.local"),
                        from: WallTime(unixMilliseconds: 1_795_852_800_000),
                        to: WallTime(unixMilliseconds: 1_795_896_000_000)), place: 0))
        #expect(
            roster.last
                == .roster(
                    RosterVersion(2), try RosterHeading(name: "", message: "Mind the gap"),
                    timeZone: try #require(TimeZoneName("Etc/UTC")),
                    lastImport: RequestID("01a223c3-1d0c-799a-9a17-859ea3177d6c")))
        guard case .report(let queue) = try #require(try contents(QueueRecord.self, in: store).first) else {
            Issue.record("no queue is stored")
            return
        }
        #expect(queue.id.description == "01a223c3-490a-7202-970d-9cd6755dfe12" && queue.state == .done)
        let labels = try store.serviceRecords().filter { $0.service == LabelRequest.service }
        #expect(labels.map(\.value) == [[10, 5] + Array("night".utf8)])
        #expect(try store.newestSegment() == 1)
        #expect(try store.beginEpoch(at: WallTime(unixMilliseconds: 0)) == Epoch(1_795_896_307))
        try store.close()
        try Store(path: path, durability: .process).close()
    }

    private func contents<Content: RecordContent>(_ type: Content.Type, in store: Store) throws -> [Content] {
        try store.serviceRecords().filter { $0.service == Content.service }
            .map { try Content(wireBytes: $0.value ?? []) }
    }

    @Test("a store is copied before it is migrated; the copy can only be read, and opens as the store did")
    func copied() throws {
        let former = path + ".former"
        try Store(path: path, durability: .process).close()
        #expect(try TemporaryDirectory.permissions(of: former) == 0o400)
        let alone = try TemporaryDirectory()
        let copy = alone.path + "/copy.sqlite"
        try FileManager.default.copyItem(atPath: former, toPath: copy)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: copy)
        #expect(try Database(path: copy).prepare("SELECT name FROM sites").values(String.self) == ["Home"])
        func content(_ path: String) throws -> [ServiceRecord] {
            let store = try Store(path: path, durability: .process)
            return try store.serviceRecords()
        }
        #expect(try content(copy) == content(path))
        let written = try FileManager.default.attributesOfItem(atPath: former)[.modificationDate] as? Date
        try Store(path: path, durability: .process).close()
        let again = try FileManager.default.attributesOfItem(atPath: former)[.modificationDate] as? Date
        #expect(again == written)
    }

    @Test("a new store has the same tables, indices and migrations as one that GRDB wrote, once opened")
    func same() throws {
        let new = directory.path + "/new.sqlite"
        for path in [new, path] { try Store(path: path, durability: .process).close() }
        func content(_ path: String, _ query: String) throws -> [[DatabaseValue]] {
            try Database(path: path).prepare(query).rows().map(\.values)
        }
        for query in [
            "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name",
            "SELECT identifier FROM grdb_migrations ORDER BY rowid",
            "SELECT name, checksums FROM tableSums WHERE name IN ('recall', 'sqlite_schema') ORDER BY name",
            "SELECT * FROM pragma_page_size, pragma_user_version, pragma_application_id, pragma_encoding",
            "SELECT * FROM pragma_journal_mode",
        ] {
            #expect(try content(new, query) == content(path, query), "\(query)")
        }
    }

    @Test("a connection to the store has the settings that GRDB gave it")
    func settings() throws {
        let store = try Store(path: path, durability: .power)
        let settings = try store.database.withLock { db in
            try [
                "foreign_keys", "busy_timeout", "recursive_triggers", "temp_store", "synchronous",
                "query_only", "locking_mode", "wal_autocheckpoint",
            ].map { name in
                let value = try db.prepare("PRAGMA \(name)").rows().first?.values.first
                return "\(name) \(value ?? .null)"
            }
        }
        #expect(
            settings == [
                "foreign_keys integer(1)", "busy_timeout integer(2000)", "recursive_triggers integer(1)",
                "temp_store integer(2)", "synchronous integer(2)", "query_only integer(0)",
                "locking_mode text(\"normal\")", "wal_autocheckpoint integer(1000)",
            ])
    }

    @Test(
        "a store whose migrations were interrupted is migrated to the end",
        arguments: ["DROP TABLE moves; DROP TABLE movedTokens;", ""])
    func interrupted(undo: String) throws {
        let missing = undo.isEmpty ? "'none'" : "'moves'"
        try Database.execute(
            """
            \(undo)
            DELETE FROM grdb_migrations WHERE identifier = \(missing);
            UPDATE progress SET isSummed = 0;
            """, at: path)
        let store = try Store(path: path, durability: .process)
        #expect(try store.moves().taken.isEmpty)
        #expect(try store.users().count == 2)
        try store.close()
        try Store(path: path, durability: .process).close()
    }

    @Test("a column of another type is damage, which names the column and not its value")
    func mistyped() throws {
        try Database.execute("UPDATE users SET role = x'01'; UPDATE progress SET isSummed = 0", at: path)
        let store = try Store(path: path, durability: .process)
        #expect(
            throws: StorageError.damaged(path: path, what: "column role has BLOB, not String")
        ) { try store.users() }
    }
}
