import ControllerCore
import FleetProtocol
import Foundation
import GRDB

/// The records of all account services that have no tables of their own: a row for each record.
enum ServiceRecordTable {
    static func make(in db: Database) throws {
        try db.execute(
            sql: """
                CREATE TABLE serviceRecords (
                    service TEXT NOT NULL, account TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
                    PRIMARY KEY (service, account, key)) WITHOUT ROWID;
                """)
    }

    /// Reads all records in the order of services, accounts and keys.
    static func read(from db: Database) throws -> [ServiceRecord] {
        try Row.fetchAll(db, sql: "SELECT * FROM serviceRecords ORDER BY service, account, key").map { row in
            guard let service = ServiceName(row["service"] as String), let account = AccountID(row["account"])
            else { throw Damage.row(table: "serviceRecords") }
            let (key, value): (Data, Data) = (row["key"], row["value"])
            return ServiceRecord(service: service, account: account, key: Array(key), value: Array(value))
        }
    }

    /// Writes or removes a record.
    static func write(_ record: ServiceRecord, in db: Database) throws {
        let place: [any DatabaseValueConvertible] = [
            record.service.text, record.account.name, Data(record.key),
        ]
        if let value = record.value {
            try db.cachedStatement(sql: "INSERT OR REPLACE INTO serviceRecords VALUES (?, ?, ?, ?)")
                .execute(arguments: StatementArguments(place + [Data(value)]))
        } else {
            try db.cachedStatement(
                sql: "DELETE FROM serviceRecords WHERE service = ? AND account = ? AND key = ?"
            ).execute(arguments: StatementArguments(place))
        }
    }
}
