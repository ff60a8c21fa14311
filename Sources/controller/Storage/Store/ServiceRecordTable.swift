import ControllerCore
import FleetProtocol

/// The records of all account services: a row for each.
enum ServiceRecordTable {
    static func make(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE serviceRecords (
                service TEXT NOT NULL, account TEXT NOT NULL, key BLOB NOT NULL, value BLOB NOT NULL,
                PRIMARY KEY (service, account, key)) WITHOUT ROWID;
            """)
    }

    /// Reads all records in the order of services, accounts and keys.
    static func read(from db: Database) throws -> [ServiceRecord] {
        try db.prepare("SELECT * FROM serviceRecords ORDER BY service, account, key").rows().map { row in
            guard let service = ServiceName(try row["service"] as String),
                let account = AccountID(try row["account"])
            else { throw Damage.row(table: "serviceRecords") }
            return ServiceRecord(
                service: service, account: account, key: try row["key"], value: try row["value"] as [UInt8])
        }
    }

    static func write(_ record: ServiceRecord, in db: Database) throws {
        let place: [any DatabaseValueConvertible] = [record.service.text, record.account.name, record.key]
        if let value = record.value {
            try db.cached("INSERT OR REPLACE INTO serviceRecords VALUES (?, ?, ?, ?)")
                .execute(place + [value])
        } else {
            try db.cached(
                "DELETE FROM serviceRecords WHERE service = ? AND account = ? AND key = ?"
            ).execute(place)
        }
    }
}
