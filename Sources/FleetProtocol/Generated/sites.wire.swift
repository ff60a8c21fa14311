// Made by protoc-gen-fleetwire from sensibus/v1/sites.proto: `make proto` makes it again.
// swift-format-ignore-file

/// A request about the sites of the user's account.
public enum SiteRequest: Equatable, Sendable {
    /// A page of the account's sites, by name.
    /// - `page`: From 1.
    /// - `size`: The number of sites on a page, 1 to 100.
    case list(page: UInt32, size: UInt32)
    /// One site, by its ID or by its name; the case of the name is ignored.
    case site(SiteReference)
    /// Creates a site. Only owners may send this and the next three.
    case add(SiteProfile)
    /// Replaces the profile of a site if the site has that version.
    case change(SiteID, from: SiteVersion, to: SiteProfile)
    /// Removes the profile of a site and the assignments to it.
    case remove(SiteID)
    /// Assigns devices to a site, all or none.
    /// - `devices`: 1 to 1,000.
    /// - `to`: Empty: the site that their nodes name.
    case assign([DeviceID], to: SiteID?)
    /// Lists the devices of a site; the cursor is 0 at first, then that of the last reply.
    /// - `cursor`: The cursor: 0 at first, then next_cursor of the last list.
    case devices(SiteID, cursor: UInt32)
    /// The devices that users have assigned to sites, by ID.
    /// - `after`: Only devices after that one; empty: all.
    case assignments(after: DeviceID?)
}

extension SiteRequest: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...8: try fields.read(&body)
            default: break
            }
        }
        self = try SiteRequest(wire: body.required("body: a request of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension SiteRequest {
    /// The case that the message in `SiteRequest.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1:
            let (page, size) = try SitePullFields.read(choice.message)
            self = .list(page: page, size: size)
        case 2: self = .site(try SiteReference(wire: choice.message))
        case 3: self = .add(try SiteAdditionFields.read(choice.message))
        case 4:
            let (site, from, to) = try SiteChangeFields.read(choice.message)
            self = .change(site, from: from, to: to)
        case 5: self = .remove(try SiteRemovalFields.read(choice.message))
        case 6:
            let (devices, to) = try SiteAssignmentFields.read(choice.message)
            self = .assign(devices, to: to)
        case 7:
            let (site, cursor) = try SiteDevicePullFields.read(choice.message)
            self = .devices(site, cursor: cursor)
        default: self = .assignments(after: try AssignmentPullFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let page, let size): fields.put(1) { SitePullFields.write(page, size, into: &$0) }
        case .site(let value): fields.put(2, value)
        case .add(let profile): fields.put(3) { SiteAdditionFields.write(profile, into: &$0) }
        case .change(let site, let from, let to): fields.put(4) { SiteChangeFields.write(site, from, to, into: &$0) }
        case .remove(let site): fields.put(5) { SiteRemovalFields.write(site, into: &$0) }
        case .assign(let devices, let to): fields.put(6) { SiteAssignmentFields.write(devices, to, into: &$0) }
        case .devices(let site, let cursor): fields.put(7) { SiteDevicePullFields.write(site, cursor, into: &$0) }
        case .assignments(let after): fields.put(8) { AssignmentPullFields.write(after, into: &$0) }
        }
    }
}

/// The controller's reply to a `SiteRequest`.
public enum SiteReply: Equatable, Sendable {
    /// A page of an account's sites, by name.
    case list(SitePage)
    /// A site with its number of devices.
    case site(SiteReport)
    /// The site was removed; `devices` had been assigned to it.
    /// - `devices`: The number of devices that were assigned to it.
    case removed(devices: UInt32)
    /// The number of devices that were assigned.
    case assigned(devices: UInt32)
    /// Some of the devices of a site, in no order; the list may be empty although more follow.
    case devices(SiteDevices)
    /// Some of the devices that users assigned to sites.
    case assignments(AssignmentChunk)
}

extension SiteReply: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range, limit: Limits.chunkBytes)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...6: try fields.read(&body)
            default: break
            }
        }
        self = try SiteReply(wire: body.required("body: a reply of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension SiteReply {
    /// The case that the message in `SiteReply.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .list(try SitePage(wire: choice.message))
        case 2: self = .site(try SiteReport(wire: choice.message))
        case 3: self = .removed(devices: try SiteRemovedFields.read(choice.message))
        case 4: self = .assigned(devices: try DevicesAssignedFields.read(choice.message))
        case 5: self = .devices(try SiteDevices(wire: choice.message))
        default: self = .assignments(try AssignmentChunk(wire: choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let value): fields.put(1, value)
        case .site(let value): fields.put(2, value)
        case .removed(let devices): fields.put(3) { SiteRemovedFields.write(devices, into: &$0) }
        case .assigned(let devices): fields.put(4) { DevicesAssignedFields.write(devices, into: &$0) }
        case .devices(let value): fields.put(5, value)
        case .assignments(let value): fields.put(6, value)
        }
    }
}

/// The fields of `SitePull`.
enum SitePullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (UInt32, UInt32) {
        var page = UInt32(0)
        var size = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&page)
            case 2: try fields.read(&size)
            default: break
            }
        }
        guard page > 0 else { throw .malformed("sites.page", "1 or more") }
        guard (1...UInt32(Limits.pageSites)).contains(size) else { throw .malformed("sites.size", "1 to \(Limits.pageSites)") }
        return (page, size)
    }

    static func write(
        _ page: UInt32, _ size: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, page)
        fields.put(2, size)
    }
}

/// A page of an account's sites, by name.
public struct SitePage: Hashable, Sendable {
    /// Without their descriptions.
    public let sites: [SiteReport]
    /// The number of sites on all pages.
    public let total: UInt32
    /// The revision of the account's sites: the controller's epoch, and the number of changes since its start.
    public let revision: SitesRevision

    public init(sites: [SiteReport] = [], total: UInt32 = 0, revision: SitesRevision) {
        self.sites = sites
        self.total = total
        self.revision = revision
    }
}

extension SitePage: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var sites: [SiteReport] = []
        var total = UInt32(0)
        var epoch = UInt64(0)
        var changes = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&sites)
            case 2: try fields.read(&total)
            case 3: try fields.read(&epoch)
            case 4: try fields.read(&changes)
            default: break
            }
        }
        self.init(
            sites: sites,
            total: total,
            revision: SitesRevision(epoch: try Epoch(wire: epoch, field: "epoch"), changes: changes))
    }

    func write(to fields: inout FieldWriter) {
        for value in sites { fields.put(1, value) }
        fields.put(2, total)
        fields.put(3, revision.epoch.wire)
        fields.put(4, revision.changes)
    }
}

/// The fields of `SiteQuery`.
enum SiteQueryFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (id: String, name: String) {
        var id = ""
        var name = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&name)
            default: break
            }
        }
        return (id, name)
    }

    static func write(
        id: String = "", name: String = "", into fields: inout FieldWriter
    ) {
        fields.put(1, id)
        fields.put(2, name)
    }
}

/// A location of devices.
public struct Site: Hashable, Sendable {
    /// 10 of [A-Za-z0-9]; unchanged when the site is renamed.
    public var id: SiteID
    /// The number of changes of its profile; 0: it has none, and only nodes name it.
    public var version: SiteVersion
    public var profile: SiteProfile

    public init(id: SiteID, version: SiteVersion, profile: SiteProfile) {
        self.id = id
        self.version = version
        self.profile = profile
    }
}

extension Site: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var id = ""
        var version = UInt64(0)
        var profile: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&id)
            case 2: try fields.read(&version)
            case 3: try fields.read(&profile)
            default: break
            }
        }
        self.init(
            id: try SiteID(wire: id, field: "site.id"),
            version: try SiteVersion(wire: version, field: "site.version"),
            profile: try SiteProfile(wire: profile.required("profile")))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id.wire)
        fields.put(2, version.wire)
        fields.put(3, profile)
    }
}

/// A site with its number of devices.
public struct SiteReport: Hashable, Sendable {
    public let site: Site
    /// The number of its devices that the controller currently knows.
    public let devices: UInt32
    public let isDescribed: Bool

    public init(site: Site, devices: UInt32 = 0, isDescribed: Bool = false) {
        self.site = site
        self.devices = devices
        self.isDescribed = isDescribed
    }
}

extension SiteReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var site: FieldReader?
        var devices = UInt32(0)
        var described = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&devices)
            case 3: try fields.read(&described)
            default: break
            }
        }
        self.init(
            site: try Site(wire: site.required("site")),
            devices: devices,
            isDescribed: described)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, site)
        fields.put(2, devices)
        fields.put(3, isDescribed)
    }
}

extension SiteProfile: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var name = ""
        var description = ""
        var coordinates: FieldReader?
        var address: [String] = []
        var city = ""
        var country = ""
        var timeZone = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&description)
            case 3: try fields.read(&coordinates)
            case 4: try fields.read(&address)
            case 5: try fields.read(&city)
            case 6: try fields.read(&country)
            case 7: try fields.read(&timeZone)
            default: break
            }
        }
        let coordinatesValue = try coordinates.map { value throws(WireError) in try Coordinates(wire: value) }
        let countryValue = try country.isEmpty ? nil : CountryCode(wire: country, field: "country")
        let timeZoneValue = try timeZone.isEmpty ? nil : TimeZoneName(wire: timeZone, field: "time_zone", expected: "1 to \(Limits.timeZoneBytes) of [A-Za-z0-9_+/-]")
        do throws(SiteError) {
            try self.init(
                name: name,
                description: description,
                coordinates: coordinatesValue,
                address: address,
                city: city,
                country: countryValue,
                timeZone: timeZoneValue)
        } catch {
            throw WireError(error)
        }
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name)
        fields.put(2, description)
        if let value = coordinates { fields.put(3, value) }
        for value in address { fields.put(4, element: value) }
        fields.put(5, city)
        if let value = country { fields.put(6, value.wire) }
        if let value = timeZone { fields.put(7, value.wire) }
    }
}

extension Coordinates: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var latitude = Int32(0)
        var longitude = Int32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&latitude)
            case 2: try fields.read(&longitude)
            default: break
            }
        }
        guard let value = Self(latitudeMicrodegrees: latitude, longitudeMicrodegrees: longitude) else {
            throw .malformed("coordinates", "millionths of −90 to 90 and of −180 to 180 degrees")
        }
        self = value
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, latitudeMicrodegrees)
        fields.put(2, longitudeMicrodegrees)
    }
}

/// The fields of `SiteAddition`.
enum SiteAdditionFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> SiteProfile {
        var profile: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&profile)
            default: break
            }
        }
        return try SiteProfile(wire: profile.required("profile"))
    }

    static func write(
        _ profile: SiteProfile, into fields: inout FieldWriter
    ) {
        fields.put(1, profile)
    }
}

/// The fields of `SiteChange`.
enum SiteChangeFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (SiteID, SiteVersion, SiteProfile) {
        var site = ""
        var baseVersion = UInt64(0)
        var profile: FieldReader?
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&baseVersion)
            case 3: try fields.read(&profile)
            default: break
            }
        }
        return (try SiteID(wire: site, field: "site"), try SiteVersion(wire: baseVersion, field: "base_version"), try SiteProfile(wire: profile.required("profile")))
    }

    static func write(
        _ site: SiteID, _ from: SiteVersion, _ to: SiteProfile, into fields: inout FieldWriter
    ) {
        fields.put(1, site.wire)
        fields.put(2, from.wire)
        fields.put(3, to)
    }
}

/// The fields of `SiteRemoval`.
enum SiteRemovalFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> SiteID {
        var site = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            default: break
            }
        }
        return try SiteID(wire: site, field: "site")
    }

    static func write(
        _ site: SiteID, into fields: inout FieldWriter
    ) {
        fields.put(1, site.wire)
    }
}

/// The fields of `SiteRemoved`.
enum SiteRemovedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var devices = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            default: break
            }
        }
        return devices
    }

    static func write(
        _ devices: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, devices)
    }
}

/// The fields of `SiteAssignment`.
enum SiteAssignmentFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> ([DeviceID], SiteID?) {
        var site = ""
        var devices: [DeviceID] = []
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&devices, field: "assign_devices.devices")
            default: break
            }
        }
        guard (1...Limits.faultDevices).contains(devices.count) else { throw .malformed("assign_devices.devices", "1 to \(Limits.faultDevices)") }
        return (devices, try site.isEmpty ? nil : SiteID(wire: site, field: "site"))
    }

    static func write(
        _ devices: [DeviceID], _ to: SiteID?, into fields: inout FieldWriter
    ) {
        if let value = to { fields.put(1, value.wire) }
        fields.put(2, devices: devices.count) { devices[$0] }
    }
}

/// The fields of `DevicesAssigned`.
enum DevicesAssignedFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> UInt32 {
        var devices = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices)
            default: break
            }
        }
        return devices
    }

    static func write(
        _ devices: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, devices)
    }
}

/// The fields of `SiteDevicePull`.
enum SiteDevicePullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (SiteID, UInt32) {
        var site = ""
        var cursor = UInt32(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&cursor)
            default: break
            }
        }
        return (try SiteID(wire: site, field: "site"), cursor)
    }

    static func write(
        _ site: SiteID, _ cursor: UInt32, into fields: inout FieldWriter
    ) {
        fields.put(1, site.wire)
        fields.put(2, cursor)
    }
}

/// Some of the devices of a site, in no order; the list may be empty although more follow.
public struct SiteDevices: Hashable, Sendable {
    public let devices: [SiteDevices.Device]
    public let nextCursor: UInt32
    public let isLast: Bool

    public init(devices: [SiteDevices.Device], nextCursor: UInt32 = 0, isLast: Bool = false) {
        self.devices = devices
        self.nextCursor = nextCursor
        self.isLast = isLast
    }
}

extension SiteDevices: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: [DeviceID] = []
        var name: [String] = []
        var nextCursor = UInt32(0)
        var done = false
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device, field: "site_devices.device")
            case 2: try fields.read(&name)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&done)
            default: break
            }
        }
        guard
            name.count == device.count
        else { throw .malformed("site_devices.name", "as many as there are devices") }
        var devicesValue: [SiteDevices.Device] = []
        devicesValue.reserveCapacity(device.count)
        for index in device.indices {
            devicesValue.append(
                SiteDevices.Device(
                    id: device[index],
                    name: try name[index].checked(bytes: Limits.nameBytes, field: "site_devices.name")))
        }
        self.init(devices: devicesValue, nextCursor: nextCursor, isLast: done)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: devices.count) { devices[$0].id }
        for place in devices.indices { fields.put(2, element: devices[place].name) }
        fields.put(3, nextCursor)
        fields.put(4, isLast)
    }
}

/// The fields of `AssignmentPull`.
enum AssignmentPullFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> DeviceID? {
        var after = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&after)
            default: break
            }
        }
        return try after.isEmpty ? nil : DeviceID(wire: after, field: "assignments.after")
    }

    static func write(
        _ after: DeviceID?, into fields: inout FieldWriter
    ) {
        if let value = after { fields.put(1, value) }
    }
}

/// Some of the devices that users assigned to sites, in the order of their IDs.
public struct AssignmentChunk: Hashable, Sendable {
    public let assignments: [SiteAssignment]
    public let isLast: Bool
    /// As in SiteList.
    public let revision: SitesRevision

    public init(assignments: [SiteAssignment], isLast: Bool = false, revision: SitesRevision) {
        self.assignments = assignments
        self.isLast = isLast
        self.revision = revision
    }
}

extension AssignmentChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var device: [DeviceID] = []
        var site: [String] = []
        var done = false
        var epoch = UInt64(0)
        var changes = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device, field: "assignments.device")
            case 2: try fields.read(&site)
            case 3: try fields.read(&done)
            case 4: try fields.read(&epoch)
            case 5: try fields.read(&changes)
            default: break
            }
        }
        guard
            site.count == device.count
        else { throw .malformed("assignments.site", "as many as there are devices") }
        var assignmentsValue: [SiteAssignment] = []
        assignmentsValue.reserveCapacity(device.count)
        for index in device.indices {
            assignmentsValue.append(
                SiteAssignment(
                    device: device[index],
                    site: try SiteID(wire: site[index], field: "assignments.site")))
        }
        self.init(
            assignments: assignmentsValue,
            isLast: done,
            revision: SitesRevision(epoch: try Epoch(wire: epoch, field: "epoch"), changes: changes))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: assignments.count) { assignments[$0].device }
        for place in assignments.indices { fields.put(2, element: assignments[place].site.wire) }
        fields.put(3, isLast)
        fields.put(4, revision.epoch.wire)
        fields.put(5, revision.changes)
    }
}

/// The value of a stored record.
public enum SiteRecord: Equatable, Sendable {
    /// A location of devices.
    case site(Site)
    /// A device that a user assigned to a site.
    case device(DeviceID, at: SiteID)
    /// - `upTo`: The highest version of a removed site.
    case removed(upTo: SiteVersion)
}

extension SiteRecord: WireMessage {
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var fields = try FieldReader(message: bytes, in: range)
        var body: Choice?
        while let field = try fields.next() {
            switch field {
            case 1...3: try fields.read(&body)
            default: break
            }
        }
        self = try SiteRecord(wire: body.required("body: a record of a kind that this version knows"))
    }

    public var wireBytes: [UInt8] {
        FieldWriter.content { fields in
            write(to: &fields)
        }
    }
}

extension SiteRecord {
    /// The case that the message in `SiteRecord.body` is.
    init(wire choice: consuming Choice) throws(WireError) {
        switch choice.number {
        case 1: self = .site(try Site(wire: choice.message))
        case 2:
            let (device, at) = try DeviceAtSiteFields.read(choice.message)
            self = .device(device, at: at)
        default: self = .removed(upTo: try RemovedSitesFields.read(choice.message))
        }
    }

    /// Writes the case's message.
    func write(to fields: inout FieldWriter) {
        switch self {
        case .site(let value): fields.put(1, value)
        case .device(let device, let at): fields.put(2) { DeviceAtSiteFields.write(device, at, into: &$0) }
        case .removed(let upTo): fields.put(3) { RemovedSitesFields.write(upTo, into: &$0) }
        }
    }
}

/// The fields of `DeviceAtSite`.
enum DeviceAtSiteFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> (DeviceID, SiteID) {
        var device: DeviceID?
        var site = ""
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&device)
            case 2: try fields.read(&site)
            default: break
            }
        }
        return (try device.required("device_at_site.device"), try SiteID(wire: site, field: "device_at_site.site"))
    }

    static func write(
        _ device: DeviceID, _ at: SiteID, into fields: inout FieldWriter
    ) {
        fields.put(1, device)
        fields.put(2, at.wire)
    }
}

/// The fields of `RemovedSites`.
enum RemovedSitesFields {
    static func read(
        _ fields: consuming FieldReader
    ) throws(WireError) -> SiteVersion {
        var version = UInt64(0)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            default: break
            }
        }
        return try SiteVersion(wire: version, field: "removed_sites.version")
    }

    static func write(
        _ upTo: SiteVersion, into fields: inout FieldWriter
    ) {
        fields.put(1, upTo.wire)
    }
}
