import ControllerCore
import FleetProtocol

/// The devices of nodes: a list for each node, in parts in the order in which they were added.
enum NodeTables {
    /// A part is the concatenation of its device IDs, with this number of characters each.
    private static let charactersOfID = DeviceID.length

    static func make(in db: Database) throws {
        try db.execute(
            """
            CREATE TABLE nodes (
                account TEXT NOT NULL, name TEXT NOT NULL, heardIn INTEGER NOT NULL,
                PRIMARY KEY (account, name));
            CREATE TABLE nodeDevices (
                id INTEGER PRIMARY KEY, account TEXT NOT NULL, node TEXT NOT NULL, devices BLOB NOT NULL);
            CREATE INDEX nodeDevicesByNode ON nodeDevices (account, node);
            """)
    }

    /// Reads the devices of every node, most recent epoch first. Nodes beyond the maximum are deleted, and
    /// those from the first that exceeds the maximum of devices.
    static func read(from db: Database, atMost nodes: Int, devices: Int) throws -> [NodeDevices] {
        var (lists, count): ([NodeDevices], Int) = ([], 0)
        var isFull = false
        for row in try db.prepare("SELECT * FROM nodes ORDER BY heardIn DESC, account, name").rows() {
            guard let account = AccountID(try row["account"]), let name = NodeName(try row["name"]) else {
                throw Damage.row(table: "nodes")
            }
            var list = NodeDevices(account: account, node: name, devices: [])
            if !isFull { list.devices = try Self.devices(of: list, in: db) }
            isFull = isFull || lists.count == nodes || count + list.devices.count > devices
            if isFull {
                try Self.remove(list, in: db)
            } else {
                count += list.devices.count
                lists.append(list)
            }
        }
        return lists
    }

    static func write(_ entry: DirectoryEntry, confirmedIn epoch: Epoch, in db: Database) throws {
        switch entry {
        case .added(let list): try add(list, confirmedIn: epoch, in: db)
        case .listed(let list):
            try remove(list, in: db)
            if !list.devices.isEmpty { try add(list, confirmedIn: epoch, in: db) }
        case .confirmed(let account, let node):
            try db.prepare("UPDATE nodes SET heardIn = ? WHERE account = ? AND name = ?")
                .execute([Int64(epoch.value), account.name, node.text])
        }
    }

    private static func add(_ list: NodeDevices, confirmedIn epoch: Epoch, in db: Database) throws {
        try db.prepare("INSERT OR REPLACE INTO nodes VALUES (?, ?, ?)")
            .execute([list.account.name, list.node.text, Int64(epoch.value)])
        var bytes: [UInt8] = []
        bytes.reserveCapacity(list.devices.count * charactersOfID)
        for device in list.devices { device.append(to: &bytes) }
        try db.prepare("INSERT INTO nodeDevices (account, node, devices) VALUES (?, ?, ?)")
            .execute([list.account.name, list.node.text, bytes])
    }

    private static func remove(_ list: NodeDevices, in db: Database) throws {
        let node = [list.account.name, list.node.text]
        try db.prepare("DELETE FROM nodes WHERE account = ? AND name = ?").execute(node)
        try db.prepare("DELETE FROM nodeDevices WHERE account = ? AND node = ?").execute(node)
    }

    private static func devices(of list: NodeDevices, in db: Database) throws -> [DeviceID] {
        let parts = try db.prepare(
            "SELECT devices FROM nodeDevices WHERE account = ? AND node = ? ORDER BY id"
        ).values([UInt8].self, [list.account.name, list.node.text])
        var devices: [DeviceID] = []
        for part in parts {
            guard part.count.isMultiple(of: charactersOfID) else { throw Damage.row(table: "nodeDevices") }
            var bits: UInt64 = 0
            for (place, byte) in part.enumerated() {
                bits = bits << 8 | UInt64(byte)
                guard place % charactersOfID == charactersOfID - 1 else { continue }
                guard let device = DeviceID(bits: bits) else { throw Damage.row(table: "nodeDevices") }
                devices.append(device)
            }
        }
        return devices
    }
}
