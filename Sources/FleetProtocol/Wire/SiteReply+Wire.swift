extension SiteReply {
    /// What there is to say about sites.
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 60: self = .list(try SitePage(wire: body.message))
        case 61: self = .site(try SiteReport(wire: body.message))
        case 62: self = .removed(devices: try body.message.firstNumber())
        case 63: self = .assigned(devices: try body.message.firstNumber())
        case 64: self = .devices(try SiteDevices(wire: body.message))
        default: self = .assignments(try AssignmentChunk(wire: body.message))
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let page): fields.put(60, page)
        case .site(let report): fields.put(61, report)
        case .removed(let devices): fields.put(62) { $0.put(1, devices) }
        case .assigned(let devices): fields.put(63) { $0.put(1, devices) }
        case .devices(let devices): fields.put(64, devices)
        case .assignments(let chunk): fields.put(65, chunk)
        }
    }
}

extension SitesRevision {
    fileprivate init(wireEpoch epoch: UInt64, changes: UInt64) throws(WireError) {
        self.init(epoch: try Epoch(wire: epoch, field: "epoch"), changes: changes)
    }
}

extension SitePage: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (sites, total, epoch, changes) = ([SiteReport](), UInt32(0), UInt64(0), UInt64(0))
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
            sites: sites, total: total, revision: try SitesRevision(wireEpoch: epoch, changes: changes))
    }

    func write(to fields: inout FieldWriter) {
        for site in sites { fields.put(1, site) }
        fields.put(2, total)
        fields.put(3, revision.epoch.value)
        fields.put(4, revision.changes)
    }
}

extension SiteDevices: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (devices, names, nextCursor, isLast) = ([DeviceID](), [String](), UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices, field: "site_devices.device")
            case 2: try fields.read(&names)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&isLast)
            default: break
            }
        }
        guard devices.count == names.count else {
            throw .malformed("site_devices.name", "as many as there are devices")
        }
        var rows: [Device] = []
        for (device, name) in zip(devices, names) {
            let name = try name.checked(bytes: Limits.nameBytes, field: "site_devices.name")
            rows.append(Device(id: device, name: name))
        }
        self.init(devices: rows, nextCursor: nextCursor, isLast: isLast)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: devices.count) { devices[$0].id }
        for device in devices { fields.put(2, element: device.name) }
        fields.put(3, nextCursor)
        fields.put(4, isLast)
    }
}

extension AssignmentChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (devices, sites, isLast) = ([DeviceID](), [String](), false)
        var (epoch, changes) = (UInt64(0), UInt64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&devices, field: "assignments.device")
            case 2: try fields.read(&sites)
            case 3: try fields.read(&isLast)
            case 4: try fields.read(&epoch)
            case 5: try fields.read(&changes)
            default: break
            }
        }
        guard devices.count == sites.count else {
            throw .malformed("assignments.site", "as many as there are devices")
        }
        var assignments: [SiteAssignment] = []
        for (device, site) in zip(devices, sites) {
            let site = try SiteID(wire: site, field: "assignments.site")
            assignments.append(SiteAssignment(device: device, site: site))
        }
        self.init(
            assignments: assignments, isLast: isLast,
            revision: try SitesRevision(wireEpoch: epoch, changes: changes))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, devices: assignments.count) { assignments[$0].device }
        for assignment in assignments { fields.put(2, element: assignment.site.description) }
        fields.put(3, isLast)
        fields.put(4, revision.epoch.value)
        fields.put(5, revision.changes)
    }
}
