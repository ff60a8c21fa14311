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

/// The rosters of accounts: a row for each roster, and one for each of its shifts.
extension Store {
    static func makeRosters(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE rosters (
                account TEXT PRIMARY KEY, version INTEGER NOT NULL, name TEXT NOT NULL,
                message TEXT NOT NULL, timeZone TEXT NOT NULL, lastImport TEXT);
            CREATE TABLE shifts (
                account TEXT NOT NULL, place INTEGER NOT NULL, who TEXT NOT NULL, email TEXT,
                fromMs INTEGER NOT NULL, toMs INTEGER NOT NULL,
                PRIMARY KEY (account, place)) WITHOUT ROWID;
            """)
    }

    func rosters() throws(StorageError) -> [StoredRoster] {
        try transaction(.deferred) { db in
            try db.prepare("SELECT * FROM rosters ORDER BY account").rows().map { row in
                let shifts = try db.prepare("SELECT * FROM shifts WHERE account = ? ORDER BY place")
                    .rows([try row["account"] as String])
                return try Self.roster(row, with: try shifts.map(Self.shift))
            }
        }
    }

    static func write(_ entry: RosterEntry, in db: Database) throws {
        switch entry {
        case .headed(let account, let version, let heading):
            try db.cached(
                """
                INSERT INTO rosters VALUES (?, ?, ?, ?, ?, NULL) ON CONFLICT (account) DO UPDATE SET
                    version = excluded.version, name = excluded.name, message = excluded.message
                """
            ).execute([
                account.name, Int64(version.value), heading.name, heading.message,
                TimeZoneName.utc.text,
            ])
        case .replaced(let stored):
            try db.cached("INSERT OR REPLACE INTO rosters VALUES (?, ?, ?, ?, ?, ?)").execute([
                stored.account.name, Int64(stored.version.value), stored.heading.name,
                stored.heading.message, stored.timeZone.text, stored.lastImport?.description,
            ])
            try db.cached("DELETE FROM shifts WHERE account = ?").execute([stored.account.name])
            let insertion = try db.cached("INSERT INTO shifts VALUES (?, ?, ?, ?, ?, ?)")
            for (place, shift) in stored.shifts.enumerated() {
                try insertion.execute([
                    stored.account.name, place, shift.who, shift.email?.address,
                    shift.from.unixMilliseconds, shift.to.unixMilliseconds,
                ])
            }
        }
    }

    // MARK: Reading

    private static func roster(_ row: Row, with shifts: [Shift]) throws -> StoredRoster {
        let text: String? = try row["lastImport"]
        let lastImport = text.flatMap { RequestID($0) }
        guard let account = AccountID(try row["account"]), (lastImport == nil) == (text == nil),
            let version = UInt64(exactly: try row["version"] as Int64),
            let timeZone = TimeZoneName(try row["timeZone"] as String)
        else { throw Damage.row(table: "rosters") }
        do {
            return StoredRoster(
                account: account, version: RosterVersion(version),
                heading: try RosterHeading(name: try row["name"], message: try row["message"]),
                timeZone: timeZone, lastImport: lastImport, shifts: shifts)
        } catch {
            throw Damage.row(table: "rosters")
        }
    }

    private static func shift(_ row: Row) throws -> Shift {
        let text: String? = try row["email"]
        let email = text.flatMap { Email($0) }
        guard (email == nil) == (text == nil) else { throw Damage.row(table: "shifts") }
        do {
            return try Shift(
                who: try row["who"], email: email, from: WallTime(unixMilliseconds: try row["fromMs"]),
                to: WallTime(unixMilliseconds: try row["toMs"]))
        } catch {
            throw Damage.row(table: "shifts")
        }
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
