import FleetProtocol

/// What one account has said of its sites, and which devices it has assigned to them.
struct SiteTable: Sendable {
    /// The sort key of a site: its name, in natural order.
    struct Place: Comparable, Sendable {
        let name: NaturalName
        let id: SiteID

        init(_ name: String, _ id: SiteID) {
            self.name = NaturalName(name)
            self.id = id
        }

        static func < (left: Place, right: Place) -> Bool {
            (left.name, left.id) < (right.name, right.id)
        }
    }

    private(set) var sites: [SiteID: Site] = [:]
    /// Where each of them is, in order.
    private(set) var places: [Place] = []
    /// By devices.
    private(set) var assignments: [SiteAssignment] = []
    /// How many changes there were.
    private(set) var changes: UInt64 = 0
    /// What was said takes.
    private(set) var bytes = 0
    /// The highest version of those that were removed.
    private var removed = SiteVersion.zero

    /// The version of a site of which nobody has said anything yet, once somebody has.
    ///
    /// No site that was removed ever had it, so a change of what somebody saw there finds another version.
    var firstVersion: SiteVersion { removed.next }

    /// One of which nothing was said.
    init() {}

    /// One that an earlier life of the controller has kept.
    init(_ kept: KeptSites) {
        for site in kept.sites { say(site) }
        assignments = kept.assignments.sorted { $0.device < $1.device }
        removed = kept.removed
        changes = 0
    }

    /// The site of that name, in capitals or not; nil where none has it.
    func site(named name: String) -> SiteID? {
        let wanted = NaturalName(name)
        let place = Self.place(in: places.count) { places[$0].name < wanted }
        return place < places.count && places[place].name == wanted ? places[place].id : nil
    }

    /// Where somebody has assigned a device; nil where nobody has.
    func assigned(_ device: DeviceID) -> SiteID? {
        let place = place(of: device)
        guard place < assignments.count, assignments[place].device == device else { return nil }
        return assignments[place].site
    }

    /// The place of the first assignment that is not before that device's.
    func place(of device: DeviceID) -> Int {
        Self.place(in: assignments.count) { assignments[$0].device < device }
    }

    /// Takes in what somebody says of a site.
    mutating func say(_ site: Site) {
        changes += 1
        leave(site.id)
        sites[site.id] = site
        bytes += site.profile.bytes
        let new = Place(site.profile.name, site.id)
        places.insert(new, at: Self.place(in: places.count) { places[$0] < new })
    }

    /// Forgets what was said of a site, and what was assigned to it.
    ///
    /// - Returns: How many devices had been.
    mutating func forget(_ id: SiteID) -> Int {
        changes += 1
        removed = max(removed, sites[id]?.version ?? .zero)
        leave(id)
        let count = assignments.count
        assignments.removeAll { $0.site == id }
        return count - assignments.count
    }

    /// Has devices stand there; nil: where their nodes say.
    mutating func assign(_ devices: Set<DeviceID>, to site: SiteID?) {
        changes += 1
        assignments.removeAll { devices.contains($0.device) }
        guard let site else { return }
        assignments += devices.map { SiteAssignment(device: $0, site: site) }
        assignments.sort { $0.device < $1.device }
    }

    /// A device stands where its node says; nothing changes where nobody has assigned it.
    mutating func unassign(_ device: DeviceID) {
        let place = place(of: device)
        guard place < assignments.count, assignments[place].device == device else { return }
        changes += 1
        assignments.remove(at: place)
    }

    private mutating func leave(_ id: SiteID) {
        guard let known = sites.removeValue(forKey: id) else { return }
        bytes -= known.profile.bytes
        let old = Place(known.profile.name, id)
        places.remove(at: Self.place(in: places.count) { places[$0] < old })
    }

    /// The first place of an ordered list that does not come before something.
    private static func place(in count: Int, _ isBefore: (Int) -> Bool) -> Int {
        var (first, end) = (0, count)
        while first < end {
            let middle = (first + end) / 2
            if isBefore(middle) { first = middle + 1 } else { end = middle }
        }
        return first
    }
}
