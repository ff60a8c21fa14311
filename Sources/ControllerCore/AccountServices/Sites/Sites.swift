public import FleetProtocol

struct Sites: AccountTables {
    struct Bounds: Sendable {
        var sites = Limits.accountSites
    }

    var tables: [AccountIndex: SiteTable] = [:]
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) { self.bounds = bounds }

    /// Why a site's profile does not fit into the account's share of bytes; nil if it does.
    func objection(
        to profile: SiteProfile, of id: SiteID?, in account: AccountIndex, within share: Int
    ) -> String? {
        let known = id.flatMap { self[account].sites[$0] }
        if known == nil, self[account].sites.count >= bounds.sites {
            return "the account already has \(bounds.sites) sites, the maximum; remove one first"
        }
        let more = profile.bytes - (known?.profile.bytes ?? 0)
        guard more > 0 else { return nil }
        guard self[account].bytes + more <= share else {
            return "the account's sites can have at most \(share) bytes of text; shorten descriptions"
        }
        return nil
    }

    /// Why the devices cannot be assigned within the account's share; nil if they can.
    func objection(
        toAssigning devices: Set<DeviceID>, in account: AccountIndex, within share: Int
    ) -> String? {
        let table = self[account]
        let more = devices.count { table.assignments[$0] == nil }
        guard table.assignments.entries.count + more <= share else {
            return "the account can assign at most \(share) devices to sites; remove other assignments first"
        }
        return nil
    }
}

/// The described sites of one account, and its device assignments.
struct SiteTable: AccountTable {
    /// The sort key of a site: its name, in natural order.
    struct Place: Comparable, Sendable {
        let name: NaturalName
        let id: SiteID

        init(_ name: String, _ id: SiteID) {
            self.name = NaturalName(name)
            self.id = id
        }

        static func < (left: Place, right: Place) -> Bool { (left.name, left.id) < (right.name, right.id) }
    }

    private(set) var sites: [SiteID: Site] = [:]
    /// The sort keys of the sites, in order.
    private(set) var places: [Place] = []
    /// The sites that users have assigned devices to.
    private(set) var assignments = DeviceTable<SiteID>()
    /// The number of changes since the controller started.
    private(set) var changes: UInt64 = 0
    private(set) var bytes = 0
    /// The highest version of the removed sites.
    private(set) var removed = SiteVersion.zero

    /// The version that a site gets when it is described for the first time. It is higher than that of any
    /// removed site, so a change based on a removed site is refused.
    var firstVersion: SiteVersion { removed.next }

    /// Restores a record; the sites come before the devices assigned to them.
    mutating func restore(_ record: SiteRecord) throws(WireError) {
        switch record {
        case .removed(let version): removed = version
        case .site(let site): put(site)
        case .device(let device, let site):
            guard sites[site] != nil else { throw .malformed("device_at_site.site", "a stored site") }
            assignments[device] = site
        }
        changes = 0
    }

    /// The site with a name, ignoring case; nil if no site has it.
    func site(named name: String) -> SiteID? {
        let wanted = NaturalName(name)
        let place = places.sortedIndex(after: { $0.name < wanted })
        return place < places.count && places[place].name == wanted ? places[place].id : nil
    }

    mutating func put(_ site: Site) {
        changes += 1
        leave(site.id)
        sites[site.id] = site
        bytes += site.profile.bytes
        let new = Place(site.profile.name, site.id)
        places.insert(new, at: places.sortedIndex(after: { $0 < new }))
    }

    /// Removes a site and the assignments to it; returns the devices that were assigned to it.
    mutating func remove(_ id: SiteID) -> [DeviceID] {
        changes += 1
        removed = max(removed, sites[id]?.version ?? .zero)
        leave(id)
        let devices = assignments.entries.filter { $0.value == id }.map(\.device)
        assignments.set(nil, of: Set(devices))
        return devices
    }

    /// Assigns devices to a site; nil removes their assignments, so that the site named by their node
    /// applies.
    mutating func assign(_ devices: Set<DeviceID>, to site: SiteID?) {
        changes += 1
        assignments.set(site, of: devices)
    }

    private mutating func leave(_ id: SiteID) {
        guard let known = sites.removeValue(forKey: id) else { return }
        bytes -= known.profile.bytes
        let old = Place(known.profile.name, id)
        places.remove(at: places.sortedIndex(after: { $0 < old }))
    }
}

extension SiteRecord: RecordContent {
    public typealias Request = SiteRequest

    public var key: RecordKey {
        switch self {
        case .removed: .only(0)
        case .site(let site): Self.key(of: site.id)
        case .device(let device, _): Self.key(of: device)
        }
    }

    static func key(of site: SiteID) -> RecordKey { .text(1, site.description) }
    static func key(of device: DeviceID) -> RecordKey { .text(2, device.description) }
}

/// A name in natural order: case is ignored, and digits compare as numbers, so that `Mill Lane 2` is before
/// `Mill Lane 10`.
struct NaturalName: Comparable, Sendable {
    /// The name with the count of digits before each number, so that text comparison orders numbers by value.
    private let order: String
    /// The name in lower case, which orders names that write the same number differently, such as 2 and 02.
    private let key: String

    init(_ name: String) {
        key = name.lowercased()
        order = Self.order(of: key)
    }

    static func < (left: NaturalName, right: NaturalName) -> Bool {
        (left.order, left.key) < (right.order, right.key)
    }

    private static func order(of key: String) -> String {
        guard key.utf8.contains(where: \.isDigit) else { return key }
        var bytes: [UInt8] = []
        var rest = key.utf8[...]
        while let first = rest.first {
            guard first.isDigit else {
                bytes.append(first)
                rest.removeFirst()
                continue
            }
            let digits = rest.prefix(while: \.isDigit)
            rest = rest.dropFirst(digits.count)
            let zeros = digits.prefix { $0 == UInt8(ascii: "0") }.count
            let number = digits.dropFirst(min(zeros, digits.count - 1))
            let count = min(number.count, 99)
            bytes += [UInt8(ascii: "0") + UInt8(count / 10), UInt8(ascii: "0") + UInt8(count % 10)]
            bytes += number
        }
        return String(decoding: bytes, as: UTF8.self)
    }
}
