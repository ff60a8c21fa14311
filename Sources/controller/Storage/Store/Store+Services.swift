import ControllerCore
import FleetProtocol

/// The tables of services and of nodes.
extension Store {
    /// Reads the devices of every node, most recent epoch first.
    ///
    /// - Parameters:
    ///   - nodes: The maximum number of nodes; others are deleted.
    ///   - devices: The maximum number of devices; the first node that exceeds it is deleted, and all later
    ///     ones.
    func nodes(
        atMost nodes: Int = NodeDevices.nodesAtMost, devices: Int = NodeDevices.devicesAtMost
    ) throws(StorageError) -> [NodeDevices] {
        try transaction(.immediate) { db in
            try NodeTables.read(from: db, atMost: nodes, devices: devices)
        }
    }

    /// Reads the records of all services.
    func serviceRecords() throws(StorageError) -> [ServiceRecord] {
        try transaction(.deferred) { db in try ServiceRecordTable.read(from: db) }
    }

    func logbooks() throws(StorageError) -> [StoredLogbook] {
        try transaction(.deferred) { db in try LogbookTables.read(from: db) }
    }
}

/// The command queues of all accounts: a row for each queue, and the horizon of each account with deleted
/// ones.
extension Store {
    static func makeCommandQueues(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE sequences (
                account TEXT NOT NULL, id TEXT NOT NULL, record BLOB NOT NULL,
                PRIMARY KEY (account, id));
            CREATE TABLE sequenceHorizons (account TEXT PRIMARY KEY, idTimeMs INTEGER NOT NULL);
            CREATE TABLE recall (id INTEGER PRIMARY KEY CHECK (id = 1), isWhole INTEGER NOT NULL);
            INSERT INTO recall VALUES (1, 1);
            """)
    }

    /// Returns whether the journal has every queue command that an earlier run of the controller may have
    /// sent, and stores the result for the next run.
    ///
    /// The journal lacks the commands of a run without journal. So the result stays false, also in later runs
    /// with a journal, as long as a command is open.
    ///
    /// - Parameters:
    ///   - isJournalled: Whether this run writes a journal.
    ///   - isCommandOpen: Whether an earlier run left a command without a stored outcome.
    func restoresCommands(
        isJournalled: Bool, isCommandOpen: Bool
    ) throws(StorageError) -> Bool {
        try transaction(.immediate) { db in
            let wasWhole = try db.prepare("SELECT isWhole FROM recall").value(Bool.self) ?? true
            let isWhole = isJournalled && (wasWhole || !isCommandOpen)
            try db.prepare("UPDATE recall SET isWhole = ?").execute([isWhole])
            return isWhole
        }
    }

    func commandQueues() throws(StorageError) -> [StoredQueues] {
        try transaction(.deferred) { db in
            var horizons: [String: WallTime] = [:]
            for row in try db.prepare("SELECT * FROM sequenceHorizons").rows() {
                horizons[try row["account"]] = WallTime(unixMilliseconds: try row["idTimeMs"])
            }
            var reports: [String: [QueueReport]] = [:]
            for row in try db.prepare("SELECT * FROM sequences ORDER BY account, id").rows() {
                reports[try row["account"], default: []].append(try Self.commandQueue(row))
            }
            return try Set(horizons.keys).union(reports.keys).sorted().map { name in
                guard let account = AccountID(name) else { throw Damage.row(table: "sequences") }
                return StoredQueues(
                    account: account, reports: reports[name] ?? [], horizon: horizons[name])
            }
        }
    }

    static func write(_ entry: QueueEntry, in db: Database) throws {
        switch entry {
        case .stands(let account, let report):
            try db.cached("INSERT OR REPLACE INTO sequences VALUES (?, ?, ?)").execute([
                account.name, report.id.description, report.storedBytes,
            ])
        case .removed(let account, let ids, let horizon):
            for id in ids {
                try db.cached("DELETE FROM sequences WHERE account = ? AND id = ?")
                    .execute([account.name, id.description])
            }
            try db.cached("INSERT OR REPLACE INTO sequenceHorizons VALUES (?, ?)")
                .execute([account.name, horizon.unixMilliseconds])
        }
    }

    private static func commandQueue(_ row: Row) throws -> QueueReport {
        guard let report = QueueReport(stored: try row["record"]),
            try report.id.description == row["id"] as String
        else { throw Damage.row(table: "sequences") }
        return report
    }
}
