/// The changes of the store's tables, in the order of the versions that made them. The table
/// `grdb_migrations` has the identifiers of the changes that a file has had. Its name is that of the library
/// that earlier versions used. A released change keeps its identifier and its tables.
enum Migrations {
    private static let all: [(identifier: String, migrate: @Sendable (Database) throws -> Void)] = [
        ("epoch, users and sessions", makeUsers), ("failed log-ins", makeLoginFailures),
        ("devices of nodes", NodeTables.make), ("keys", Store.makeKeys),
        ("logbooks", FormerServiceTables.makeLogbooks),
        ("newest segment", Store.makeNewestSegment), ("recoveries", Store.makePasswordResets),
        ("sites", FormerServiceTables.makeSites), ("sequences", FormerServiceTables.makeCommandQueues),
        ("rosters", FormerServiceTables.makeRosters),
        ("versions of removed sites", FormerServiceTables.makeRemovedSites), ("progress", Store.makeProgress),
        ("use of sessions", Store.addUseOfSessions), ("scopes of keys", Store.addKeyScopes),
        ("sign-ups", Store.makeSignUps), ("edits of posts", FormerServiceTables.addEditsOfPosts),
        ("records of services", ServiceRecordTable.make), ("moves", Store.makeMoves),
        ("fleet", Store.addFleet), ("services as records", FormerServiceTables.convert),
    ]

    /// Returns whether a file has had the first change.
    static func haveBegun(in db: Database) throws -> Bool { try applied(in: db).contains(all[0].identifier) }

    /// Returns whether a file has had every change.
    static func areComplete(in db: Database) throws -> Bool {
        try applied(in: db).isSuperset(of: all.map(\.identifier))
    }

    /// Returns whether a file has had a change that this version does not know: a later version wrote it.
    static func areSuperseded(in db: Database) throws -> Bool {
        try !applied(in: db).isSubset(of: all.map(\.identifier))
    }

    /// Makes the changes that a file has not had, each in a transaction of its own.
    static func run(in db: Database) throws {
        try db.execute("CREATE TABLE IF NOT EXISTS grdb_migrations (identifier TEXT NOT NULL PRIMARY KEY)")
        let applied = try applied(in: db)
        for (identifier, migrate) in all where !applied.contains(identifier) {
            try db.inTransaction(.immediate) {
                try migrate(db)
                try db.prepare("INSERT INTO grdb_migrations (identifier) VALUES (?)").execute([identifier])
            }
        }
    }

    private static func applied(in db: Database) throws -> Set<String> {
        guard try db.hasTable("grdb_migrations") else { return [] }
        return Set(try db.prepare("SELECT identifier FROM grdb_migrations").values(String.self))
    }

    private static func makeUsers(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE epoch (id INTEGER PRIMARY KEY CHECK (id = 1), value INTEGER NOT NULL);
            INSERT INTO epoch VALUES (1, 0);
            CREATE TABLE users (
                email TEXT PRIMARY KEY, account TEXT NOT NULL, role TEXT NOT NULL,
                isOperator INTEGER NOT NULL, passwordHash TEXT NOT NULL);
            CREATE TABLE sessions (
                digest BLOB PRIMARY KEY, email TEXT NOT NULL, openedAtMs INTEGER NOT NULL);
            """)
    }

    private static func makeLoginFailures(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE loginFailures (
                email TEXT PRIMARY KEY, count INTEGER NOT NULL, lastAtMs INTEGER NOT NULL);
            CREATE INDEX loginFailuresByAge ON loginFailures (lastAtMs);
            """)
    }
}
