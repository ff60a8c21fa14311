import FleetProtocol

/// The checksums of the store's tables: the sum over all rows, updated in the transaction that changes a row.
///
/// SQLite detects damage to the structure of a file, but neither changed content of a row nor a missing row.
/// Temporary triggers, which only a connection of the store has, add the checksum of each inserted row to its
/// table's sum, and subtract that of each deleted row.
enum TableChecksums {
    /// The name of the sum over the statements that created tables and indices.
    private static let schema = "sqlite_schema"
    private static let function = "row_checksum"

    /// Adds the checksum of a row to SQL: CRC-32C over the values, each after its type.
    static func addFunction(to db: Database) throws {
        try db.addFunction(function) { values in
            var writer = RecordWriter()
            for value in values { writer.put(value) }
            return Int64(Checksum.of(writer.bytes))
        }
    }

    static func make(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE tableSums (
                name TEXT PRIMARY KEY, rows INTEGER NOT NULL, checksums INTEGER NOT NULL);
            """)
    }

    /// Recomputes the sums of all tables, after a change of their columns.
    static func sumUp(_ db: Database) throws {
        try db.execute("DELETE FROM tableSums")
        for name in try tables(in: db) + [schema] {
            try db.prepare("INSERT INTO tableSums VALUES (?, ?, ?)")
                .execute([.text(name)] + sum(of: name, in: db))
        }
    }

    /// Compares the rows of all tables with their sums; throws `Damage.row` with the table.
    static func check(_ db: Database) throws {
        let summed = try db.prepare("SELECT name FROM tableSums ORDER BY name").values(String.self)
        let present = try (tables(in: db) + [schema]).sorted()
        guard summed == present else {
            let differing = Set(summed).symmetricDifference(present).sorted()
            throw Damage.row(table: differing.first ?? "tableSums")
        }
        for name in present {
            let stored = try db.prepare("SELECT rows, checksums FROM tableSums WHERE name = ?").rows([name])
            guard try stored.first?.values == sum(of: name, in: db) else {
                throw Damage.row(table: name)
            }
        }
    }

    /// Updates the sums with each change of a row, as long as the connection is open.
    static func follow(in db: Database) throws {
        // Only then do triggers delete a row that another one replaces.
        try db.execute("PRAGMA recursive_triggers = ON; PRAGMA temp_store = MEMORY")
        for name in try tables(in: db) {
            let (new, old) = (try columns(of: name, "NEW.", in: db), try columns(of: name, "OLD.", in: db))
            func trigger(_ event: String, _ change: String) -> String {
                """
                CREATE TEMP TRIGGER "\(name) \(event)" AFTER \(event) ON main."\(name)" BEGIN
                    UPDATE tableSums SET \(change) WHERE name = '\(name)';
                END;
                """
            }
            try db.execute(
                trigger("INSERT", "rows = rows + 1, checksums = checksums + \(function)(\(new))")
                    + trigger("DELETE", "rows = rows - 1, checksums = checksums - \(function)(\(old))")
                    + trigger("UPDATE", "checksums = checksums - \(function)(\(old)) + \(function)(\(new))"))
        }
    }

    private static func sum(of name: String, in db: Database) throws -> [DatabaseValue] {
        let columns = name == schema ? "type, name, tbl_name, sql" : try columns(of: name, "", in: db)
        let rows = try db.prepare(
            "SELECT count(*), coalesce(sum(\(function)(\(columns))), 0) FROM main.\"\(name)\""
        ).rows()
        return rows.first?.values ?? []
    }

    /// Returns the tables that have sums, sorted by name.
    private static func tables(in db: Database) throws -> [String] {
        try db.prepare(
            """
            SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                AND name NOT IN ('tableSums', 'progress', 'grdb_migrations') ORDER BY name
            """
        ).values(String.self)
    }

    private static func columns(of table: String, _ row: String, in db: Database) throws -> String {
        try db.prepare("SELECT name FROM pragma_table_info(?)").values(String.self, [table])
            .map { "\(row)\"\($0)\"" }.joined(separator: ", ")
    }
}

extension RecordWriter {
    /// Writes a value of a column, after its type.
    mutating func put(_ value: DatabaseValue) {
        switch value {
        case .null: put(byte: 0)
        case .integer(let number):
            put(byte: 1)
            put(number)
        case .real(let number):
            put(byte: 2)
            put(number.bitPattern)
        case .text(let text):
            put(byte: 3)
            put(block: text.utf8)
        case .blob(let bytes):
            put(byte: 4)
            put(block: bytes)
        }
    }
}
