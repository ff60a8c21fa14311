import ControllerCore
import FleetProtocol

/// The sites of accounts: a row for each site, one for each assigned device, and one for each account with
/// removed sites.
enum SiteTables {
    static func make(in db: Database) throws {
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
            CREATE INDEX siteDevicesBySite ON siteDevices (account, site);
            """)
    }

    static func makeRemoved(in db: Database) throws {
        try db.execute(
            "CREATE TABLE removedSites (account TEXT PRIMARY KEY, newestVersion INTEGER NOT NULL)")
    }

    static func read(from db: Database) throws -> [StoredSites] {
        let names = try db.prepare(
            "SELECT account FROM sites UNION SELECT account FROM removedSites ORDER BY account"
        ).values(String.self)
        return try names.map { name in
            guard let account = AccountID(name) else { throw Damage.row(table: "sites") }
            let sites = try db.prepare("SELECT * FROM sites WHERE account = ? ORDER BY id")
                .rows([name]).map(Self.site)
            let known = Set(sites.map(\.id))
            let assignments = try db.prepare("SELECT * FROM siteDevices WHERE account = ? ORDER BY device")
                .rows([name]).map { try Self.assignment($0, to: known) }
            let removed = try db.prepare("SELECT newestVersion FROM removedSites WHERE account = ?")
                .value(Int64.self, [name])
            guard let version = UInt64(exactly: removed ?? 0) else {
                throw Damage.row(table: "removedSites")
            }
            return StoredSites(
                account: account, sites: sites, removed: SiteVersion(version), assignments: assignments)
        }
    }

    static func write(_ entry: SiteEntry, in db: Database) throws {
        switch entry {
        case .written(let account, let site):
            let profile = site.profile
            try db.cached("INSERT OR REPLACE INTO sites VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)").execute([
                account.name, site.id.description, Int64(site.version.value), profile.name,
                profile.description, profile.coordinates?.latitudeMicrodegrees,
                profile.coordinates?.longitudeMicrodegrees,
                profile.address.joined(separator: "\n"), profile.city, profile.country?.letters,
                profile.timeZone?.text,
            ])
        case .removed(let account, let site, let version):
            let arguments: [any DatabaseValueConvertible] = [account.name, site.description]
            try db.cached("DELETE FROM sites WHERE account = ? AND id = ?").execute(arguments)
            try db.cached("DELETE FROM siteDevices WHERE account = ? AND site = ?").execute(arguments)
            try db.cached(
                """
                INSERT INTO removedSites VALUES (?, ?)
                ON CONFLICT (account) DO UPDATE SET newestVersion = max(newestVersion, excluded.newestVersion)
                """
            ).execute([account.name, Int64(version.value)])
        case .assigned(let account, let devices, let site):
            for device in devices {
                if let site {
                    try db.cached("INSERT OR REPLACE INTO siteDevices VALUES (?, ?, ?)")
                        .execute([account.name, device.description, site.description])
                } else {
                    try db.cached("DELETE FROM siteDevices WHERE account = ? AND device = ?")
                        .execute([account.name, device.description])
                }
            }
        }
    }

    // MARK: Reading

    private static func site(_ row: Row) throws -> Site {
        let (country, zone): (String?, String?) = (try row["country"], try row["timeZone"])
        let code = country.flatMap { CountryCode($0) }
        let timeZone = zone.flatMap { TimeZoneName($0) }
        let address: String = try row["address"]
        guard let id = SiteID(try row["id"] as String),
            let version = UInt64(exactly: try row["version"] as Int64),
            (code == nil) == (country == nil), (timeZone == nil) == (zone == nil)
        else { throw Damage.row(table: "sites") }
        do {
            let profile = try SiteProfile(
                name: try row["name"], description: try row["description"], coordinates: try coordinates(row),
                address: address.split(separator: "\n").map(String.init), city: try row["city"],
                country: code, timeZone: timeZone)
            return Site(id: id, version: SiteVersion(version), profile: profile)
        } catch is SiteError {
            throw Damage.row(table: "sites")
        }
    }

    private static func coordinates(_ row: Row) throws -> Coordinates? {
        let (latitude, longitude): (Int32?, Int32?) = (
            try row["latitudeMicrodegrees"], try row["longitudeMicrodegrees"]
        )
        guard let latitude, let longitude else {
            guard latitude == nil, longitude == nil else { throw Damage.row(table: "sites") }
            return nil
        }
        guard let place = Coordinates(latitudeMicrodegrees: latitude, longitudeMicrodegrees: longitude) else {
            throw Damage.row(table: "sites")
        }
        return place
    }

    private static func assignment(_ row: Row, to sites: Set<SiteID>) throws -> SiteAssignment {
        guard let device = DeviceID(try row["device"] as String),
            let site = SiteID(try row["site"] as String), sites.contains(site)
        else { throw Damage.row(table: "siteDevices") }
        return SiteAssignment(device: device, site: site)
    }
}
