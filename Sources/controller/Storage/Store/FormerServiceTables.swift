import ControllerCore
import FleetProtocol

/// The tables that account services had before they shared one, whose rows become records.
enum FormerServiceTables {
    static func convert(in db: Database) throws {
        try records("logbooks", in: db) { (row) -> LogbookRecord? in
            let horizon: Int64? = try row["horizonMs"]
            return LogbookRecord.marks(
                LogbookMarks(
                    lastPost: try row.ordinal("lastPost"), lastComment: try row.ordinal("lastComment"),
                    lastAuthor: try row.ordinal("lastAuthor"),
                    horizon: horizon.map(WallTime.init(unixMilliseconds:))))
        }
        try records("posts", in: db) { row in
            LogbookRecord.post(try post(row), requestID: try row.parsed("requestID") { RequestID($0) })
        }
        try records("comments", in: db) { (row) -> LogbookRecord? in
            let comment = Comment(
                number: try row.ordinal("number"), post: try row.ordinal("post"), author: try author(row),
                writtenAt: try row.time("writtenAtMs"), body: try row["body"])
            return try row.parsed("requestID") { RequestID($0) }
                .map { LogbookRecord.comment(comment, requestID: $0) }
        }
        try records("removedSites", in: db) { row in
            SiteRecord.removed(upTo: try row.ordinal("newestVersion"))
        }
        try records("sites", in: db) { row in try site(row).map(SiteRecord.site) }
        try records("siteDevices", in: db) { (row) -> SiteRecord? in
            guard let device = try row.parsed("device", DeviceID.init),
                let site = try row.parsed("site", SiteID.init)
            else { return nil }
            return SiteRecord.device(device, at: site)
        }
        try records("sequenceHorizons", in: db) { row in QueueRecord.removed(upTo: try row.time("idTimeMs")) }
        try records("sequences", in: db) { (row) -> QueueRecord? in
            let report = try RecordReader.read(QueueReport.self, from: try row["record"] as [UInt8])
            return try report.id.description == row["id"] ? QueueRecord.report(report) : nil
        }
        try records("rosters", in: db) { row in
            RosterRecord.roster(
                try row.ordinal("version"),
                try RosterHeading(name: try row["name"], message: try row["message"]),
                timeZone: try row.parsed("timeZone", TimeZoneName.init) ?? .utc,
                lastImport: try row.parsed("lastImport") { RequestID($0) })
        }
        try records("shifts", in: db) { (row) -> RosterRecord? in
            let shift = try Shift(
                who: try row["who"], email: try row.parsed("email", Email.init), from: try row.time("fromMs"),
                to: try row.time("toMs"))
            return UInt32(exactly: try row["place"] as Int64).map { .shift(shift, place: $0) }
        }
    }

    /// Throws `Damage.row` if a row has no content.
    private static func records<Content: RecordContent>(
        _ table: String, in db: Database, _ content: (Row) throws -> Content?
    ) throws {
        for row in try db.prepare("SELECT * FROM \(table)").rows() {
            guard let account = try? row.parsed("account", AccountID.init), let content = try? content(row)
            else { throw Damage.row(table: table) }
            try ServiceRecordTable.write(ServiceRecord(content, of: account), in: db)
        }
        try db.execute("DROP TABLE \(table)")
    }

    // MARK: Logbooks

    static func makeLogbooks(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE logbooks (
                account TEXT PRIMARY KEY, lastPost INTEGER NOT NULL, lastComment INTEGER NOT NULL,
                lastAuthor INTEGER NOT NULL, horizonMs INTEGER);
            CREATE TABLE posts (
                account TEXT NOT NULL, number INTEGER NOT NULL, requestID TEXT, author INTEGER NOT NULL,
                email TEXT, writtenAtMs INTEGER NOT NULL, title TEXT NOT NULL, body TEXT NOT NULL,
                device TEXT, deviceName TEXT, site TEXT,
                PRIMARY KEY (account, number), UNIQUE (account, requestID));
            CREATE TABLE comments (
                account TEXT NOT NULL, number INTEGER NOT NULL, post INTEGER NOT NULL,
                requestID TEXT NOT NULL, author INTEGER NOT NULL, email TEXT NOT NULL,
                writtenAtMs INTEGER NOT NULL, body TEXT NOT NULL,
                PRIMARY KEY (account, number), UNIQUE (account, requestID));
            """)
    }

    static func addEditsOfPosts(in db: Database) throws {
        try db.execute("ALTER TABLE posts ADD COLUMN editedAtMs INTEGER")
    }

    private static func post(_ row: Row) throws -> Post {
        let (site, deviceName): (String?, String?) = (try row["site"], try row["deviceName"])
        let device = try row.parsed("device", DeviceID.init).map { id in
            PostSubject.device(id, name: deviceName ?? "")
        }
        let editedAt: Int64? = try row["editedAtMs"]
        return Post(
            number: try row.ordinal("number"), author: try author(row),
            writtenAt: try row.time("writtenAtMs"),
            title: try row["title"], body: try row["body"], subject: site.map(PostSubject.site) ?? device,
            editedAt: editedAt.map(WallTime.init(unixMilliseconds:)))
    }

    private static func author(_ row: Row) throws -> Author {
        let email = try row.parsed("email", Email.init)
        return try email.map { Author(number: try row.ordinal("author"), email: $0) } ?? .controller
    }

    // MARK: Sites

    static func makeSites(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE sites (
                account TEXT NOT NULL, id TEXT NOT NULL, version INTEGER NOT NULL, name TEXT NOT NULL,
                description TEXT NOT NULL, latitudeMicrodegrees INTEGER, longitudeMicrodegrees INTEGER,
                address TEXT NOT NULL, city TEXT NOT NULL, country TEXT, timeZone TEXT,
                PRIMARY KEY (account, id));
            CREATE TABLE siteDevices (
                account TEXT NOT NULL, device TEXT NOT NULL, site TEXT NOT NULL,
                PRIMARY KEY (account, device));
            """)
    }

    static func makeRemovedSites(in db: Database) throws {
        try db.execute("CREATE TABLE removedSites (account TEXT PRIMARY KEY, newestVersion INTEGER NOT NULL)")
    }

    private static func site(_ row: Row) throws -> Site? {
        let latitude: Int32? = try row["latitudeMicrodegrees"]
        let longitude: Int32? = try row["longitudeMicrodegrees"]
        let coordinates = latitude.flatMap { latitude in
            longitude.flatMap { Coordinates(latitudeMicrodegrees: latitude, longitudeMicrodegrees: $0) }
        }
        guard let id = try row.parsed("id", SiteID.init), (coordinates == nil) == (latitude == nil) else {
            return nil
        }
        let address: String = try row["address"]
        let profile = try SiteProfile(
            name: try row["name"], description: try row["description"], coordinates: coordinates,
            address: address.split(separator: "\n").map(String.init), city: try row["city"],
            country: try row.parsed("country", CountryCode.init),
            timeZone: try row.parsed("timeZone", TimeZoneName.init))
        return Site(id: id, version: try row.ordinal("version"), profile: profile)
    }
}

// MARK: Command queues and rosters

extension FormerServiceTables {
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
}

extension Row {
    fileprivate func time(_ column: String) throws -> WallTime {
        WallTime(unixMilliseconds: try self[column])
    }

    fileprivate func parsed<Value>(_ column: String, _ parse: (String) -> Value?) throws -> Value? {
        let text: String? = try self[column]
        return try text.map { text in
            guard let value = parse(text) else { throw Damage.row(table: column) }
            return value
        }
    }

    fileprivate func ordinal<Number: Ordinal>(_ column: String) throws -> Number {
        guard let number = UInt64(exactly: try self[column] as Int64) else { throw Damage.row(table: column) }
        return Number(number)
    }
}
