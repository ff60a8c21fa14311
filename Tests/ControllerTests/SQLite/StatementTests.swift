import Testing

@testable import controller

@Suite("SQLite: statements and values")
struct StatementTests {
    private let db: Database

    init() throws { db = try Database(path: ":memory:") }

    @Test(
        "a value that was bound is read back in the same storage class",
        arguments: [
            (.null, "null"), (.integer(.min), "integer"), (.integer(.max), "integer"),
            (.real(-0.5), "real"), (.text(""), "text"), (.text("a\0b"), "text"),
            (.text("it's \"日本\""), "text"), (.blob([]), "blob"), (.blob([0, 255, 0]), "blob"),
        ] as [(DatabaseValue, String)])
    func roundTrip(value: DatabaseValue, storageClass: String) throws {
        let row = try #require(try db.prepare("SELECT ?1, typeof(?1), length(?1)").rows([value]).first)
        #expect(row.values.prefix(2) == [value, .text(storageClass)])
        try db.execute("CREATE TABLE kept (value)")
        try db.prepare("INSERT INTO kept VALUES (?)").execute([value])
        #expect(try db.prepare("SELECT value FROM kept").values(DatabaseValue.self) == [value])
    }

    @Test("Swift values are stored as integers, text, blobs and NULL")
    func swiftValues() throws {
        let arguments: [any DatabaseValueConvertible] = [
            7, Int64(-7), Int32(7), true, "ann", [1, 2] as [UInt8], Int?.none, "ben" as String?,
        ]
        let row = try #require(
            try db.prepare("SELECT ? a, ? b, ? c, ? d, ? e, ? f, ? g, ? h").rows(arguments).first)
        #expect(row.columns == ["a", "b", "c", "d", "e", "f", "g", "h"])
        #expect(
            row.values == [
                .integer(7), .integer(-7), .integer(7), .integer(1), .text("ann"), .blob([1, 2]), .null,
                .text("ben"),
            ])
        #expect(try row["a"] as Int == 7)
        #expect(try row["c"] as Int32 == 7)
        #expect(try row["d"] as Bool)
        #expect(try row["e"] as String? == "ann")
        #expect(try row["f"] as [UInt8] == [1, 2])
        #expect(try row["g"] as Int? == nil)
    }

    @Test("a missing column, NULL, another class and a number out of range are errors without the value")
    func columnErrors() throws {
        let row = try #require(
            try db.prepare("SELECT NULL n, 'secret' t, 1 << 40 i, 1.5 r, x'00' b").rows().first)
        func error<Value: DatabaseValueConvertible>(_ column: String, _ type: Value.Type) -> String? {
            #expect(throws: ColumnError.self) { try row[column] as Value }?.description
        }
        #expect(error("x", Int.self) == "column x is missing")
        #expect(error("n", String.self) == "column n has NULL, not String")
        #expect(error("t", Int64.self) == "column t has TEXT, not Int64")
        #expect(error("i", Int32.self) == "column i has INTEGER, not Int32")
        #expect(error("r", Int.self) == "column r has REAL, not Int")
        #expect(error("b", String?.self)?.hasPrefix("column b has BLOB, not Optional") == true)
        #expect(error("t", Bool.self) == "column t has TEXT, not Bool")
        #expect(error("t", [UInt8].self) == "column t has TEXT, not Array<UInt8>")
        let first = #expect(throws: ColumnError.self) { try db.prepare("SELECT 'secret' c").values(Int.self) }
        #expect(first?.description == "column c has TEXT, not Int")
    }

    @Test("a single value is nil for NULL and without a row")
    func singleValue() throws {
        #expect(try db.prepare("SELECT max(value) FROM (SELECT 1 value WHERE 0)").value(Int.self) == nil)
        #expect(try db.prepare("SELECT 1 WHERE 0").value(Int.self) == nil)
        #expect(try db.prepare("SELECT 1 UNION SELECT 2 ORDER BY 1").value(Int.self) == 1)
    }

    @Test("a cached statement is prepared once, binds new arguments each time, and survives an error")
    func cached() throws {
        try db.execute("CREATE TABLE users (name TEXT PRIMARY KEY, age INTEGER)")
        let insertion = try db.cached("INSERT INTO users VALUES (?, ?)")
        #expect(try db.cached("INSERT INTO users VALUES (?, ?)") === insertion)
        try insertion.execute(["ann", 31])
        #expect(throws: DatabaseError.self) { try insertion.execute(["ann", 32]) }
        try insertion.execute(["ben", Int?.none])
        let rows = try db.prepare("SELECT * FROM users ORDER BY name").rows().map(\.values)
        #expect(rows == [[.text("ann"), .integer(31)], [.text("ben"), .null]])
        // The statement is compiled again when the tables have changed.
        let query = try db.cached("SELECT * FROM users WHERE name = ?")
        #expect(try query.rows(["ann"]).first?.columns == ["name", "age"])
        try db.execute("ALTER TABLE users ADD COLUMN role TEXT DEFAULT 'viewer'")
        #expect(try query.rows(["ann"]).first?["role"] == "viewer")
    }

    @Test("a statement whose rows are not all read holds no lock")
    func unfinished() throws {
        struct Enough: Error {}
        try db.execute("CREATE TABLE numbers (number)")
        for number in 0..<10 { try db.cached("INSERT INTO numbers VALUES (?)").execute([number]) }
        let query = try db.prepare("SELECT number FROM numbers ORDER BY number")
        var numbers: [Int] = []
        #expect(throws: Enough.self) {
            try query.forEach(Int.self) { number in
                numbers.append(number)
                if number == 2 { throw Enough() }
            }
        }
        #expect(numbers == [0, 1, 2])
        // A table with an unfinished reader cannot be dropped.
        try db.execute("DROP TABLE numbers")
    }

    @Test("text in double quotes is a name, not a string")
    func doubleQuotes() throws {
        let error = #expect(throws: DatabaseError.self) { try db.execute("SELECT \"ann\"") }
        #expect(error?.message == "no such column: ann")
    }

    @Test("a script runs up to its first error")
    func script() throws {
        #expect(throws: DatabaseError.self) {
            try db.execute("CREATE TABLE one (id); CREATE TABLE one (id); CREATE TABLE two (id)")
        }
        #expect(try db.hasTable("one"))
        #expect(try !db.hasTable("two"))
    }

    @Test("a function of SQL receives all classes of values, also in a trigger")
    func function() throws {
        try db.addFunction("size") { values in
            values.reduce(into: 0) { sum, value in
                switch value {
                case .null: sum += 1
                case .integer(let number): sum += number
                case .real(let number): sum += Int64(number)
                case .text(let text): sum += Int64(text.utf8.count)
                case .blob(let bytes): sum += Int64(bytes.count)
                }
            }
        }
        #expect(try db.prepare("SELECT size()").value(Int.self) == 0)
        let arguments: [any DatabaseValueConvertible] = [Int?.none, 10, DatabaseValue.real(100.5), "a\0b"]
        #expect(
            try db.prepare("SELECT size(?, ?, ?, ?, x'', zeroblob(1000))").value(Int.self, arguments) == 1_114
        )
        try db.execute(
            """
            CREATE TABLE texts (text); CREATE TABLE sums (sum); INSERT INTO sums VALUES (0);
            CREATE TEMP TRIGGER added AFTER INSERT ON main.texts BEGIN
                UPDATE sums SET sum = sum + size(NEW.text); END;
            INSERT INTO texts VALUES ('four'), ('three');
            """)
        #expect(try db.prepare("SELECT sum FROM sums").value(Int.self) == 9)
    }
}
