import ControllerCore
import FleetProtocol

/// The rows of an account in all tables, which move to another cell with the account. A table belongs to
/// accounts if it has a column `account`, or else `email`: then its rows are those of the account's users. So
/// a new table moves without a change here.
struct AccountRows {
    enum Objection: Error, CustomStringConvertible {
        case malformed
        case otherTables
        case otherAccount(table: String)

        var description: String {
            switch self {
            case .malformed: "its rows cannot be read"
            case .otherTables: "the cells have different versions: update them to the same one first"
            case .otherAccount(let table): "a row of table \(table) belongs to another account"
            }
        }
    }

    private struct Table: Equatable {
        let name: String
        /// The columns, but for a number that only identifies the row.
        let columns: [String]

        var hasAccount: Bool { columns.contains("account") }

        /// The condition for rows of an account, with a parameter for its name.
        var condition: String {
            hasAccount ? "account = ?" : "email IN (SELECT email FROM users WHERE account = ?)"
        }

        var list: String { columns.map { "\"\($0)\"" }.joined(separator: ", ") }
    }

    let account: AccountID

    /// The rows, encoded: each table with its name, its columns and its values.
    func encoded(from db: Database) throws -> [UInt8] {
        var writer = RecordWriter()
        let tables = try Self.tables(in: db)
        writer.put(UInt32(tables.count))
        for table in tables {
            writer.put(table.name)
            writer.put(UInt32(table.columns.count))
            for column in table.columns { writer.put(column) }
            let rows = try db.prepare("SELECT \(table.list) FROM \"\(table.name)\" WHERE \(table.condition)")
                .rows([account.name])
            writer.put(UInt32(rows.count))
            for row in rows {
                for value in row.values { writer.put(value) }
            }
        }
        return writer.bytes
    }

    /// Adds encoded rows; fails if there is such a row already.
    func insert(_ bytes: [UInt8], into db: Database) throws {
        var reader = RecordReader(bytes)
        let own = try Self.tables(in: db)
        guard try reader.read(UInt32.self) == UInt32(own.count) else { throw Objection.otherTables }
        var users: Set<String> = []
        for table in own {
            var columns: [String] = []
            let name = try reader.readText("a name")
            for _ in 0..<(try reader.read(UInt32.self)) { columns.append(try reader.readText("a name")) }
            guard Table(name: name, columns: columns) == table else { throw Objection.otherTables }
            let places = columns.map { _ in "?" }.joined(separator: ", ")
            let statement = try db.prepare("INSERT INTO \"\(table.name)\" (\(table.list)) VALUES (\(places))")
            for _ in 0..<(try reader.read(UInt32.self)) {
                let values = try columns.map { _ in try Self.value(from: &reader) }
                let row = Dictionary(zip(columns, values), uniquingKeysWith: { first, _ in first })
                try checkOwner(of: row, in: table, users: &users)
                try statement.execute(values)
            }
        }
        guard reader.bytesLeft == 0 else { throw Objection.malformed }
    }

    func delete(from db: Database) throws {
        // The users last: rows of other tables are found by them.
        for table in try Self.tables(in: db).reversed() {
            try db.prepare("DELETE FROM \"\(table.name)\" WHERE \(table.condition)").execute([account.name])
        }
    }

    private func checkOwner(
        of row: [String: DatabaseValue], in table: Table, users: inout Set<String>
    ) throws {
        func text(_ column: String) -> String? { row[column].flatMap(String.init(databaseValue:)) }
        let email = text("email")
        if table.hasAccount {
            guard text("account") == account.name else {
                throw Objection.otherAccount(table: table.name)
            }
            if table.name == Self.users, let email { users.insert(email) }
        } else if !users.contains(email ?? "") {
            throw Objection.otherAccount(table: table.name)
        }
    }

    private static let users = "users"

    /// The tables whose rows belong to accounts, that of the users first.
    private static func tables(in db: Database) throws -> [Table] {
        let names = try db.prepare(
            """
            SELECT name FROM main.sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'
                ORDER BY name != '\(users)', name
            """
        ).values(String.self)
        return try names.compactMap { name in
            let columns = try db.prepare("SELECT name, type, pk FROM pragma_table_info(?)").rows([name])
            let keys = try columns.filter { try $0["pk"] as Int > 0 }.count
            let values = try columns.filter { row in
                try !(keys == 1 && row["pk"] as Int == 1 && row["type"] as String == "INTEGER")
            }.map { try $0["name"] as String }
            guard values.contains("account") || values.contains("email") else { return nil }
            return Table(name: name, columns: values)
        }
    }

    private static func value(from reader: inout RecordReader) throws -> DatabaseValue {
        switch try reader.readByte() {
        case 0: return .null
        case 1: return .integer(try reader.read(Int64.self))
        case 2: return .real(Double(bitPattern: try reader.read(UInt64.self)))
        case 3:
            guard let text = String(validating: try reader.readBlock(), as: UTF8.self) else {
                throw Objection.malformed
            }
            return .text(text)
        case 4: return .blob(Array(try reader.readBlock()))
        default: throw Objection.malformed
        }
    }
}
