extension SiteRequest {
    /// What somebody asks about sites.
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 60:
            let (page, size) = try body.message.firstNumbers()
            guard page > 0 else { throw .malformed("sites.page", "1 or more") }
            guard (1...UInt32(Limits.pageSites)).contains(size) else {
                throw .malformed("sites.size", "1 to \(Limits.pageSites)")
            }
            self = .list(page: page, size: size)
        case 61: self = .site(try SiteReference(wire: body.message))
        case 62: self = .add(try SiteProfile(wireIn: try body.message.firstMessage()))
        case 63:
            let change = try SiteChange(wire: body.message)
            self = .change(change.site, from: change.base, to: change.profile)
        case 64: self = .remove(try SiteID(wire: try body.message.firstTexts().0))
        case 65:
            let order = try AssignmentOrder(wire: body.message)
            self = .assign(order.devices, to: order.site)
        case 66:
            let pull = try SiteDevicePull(wire: body.message)
            self = .devices(pull.site, cursor: pull.cursor)
        default: self = .assignments(after: try AssignmentPull(wire: body.message).after)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .list(let page, let size):
            fields.put(60) {
                $0.put(1, page)
                $0.put(2, size)
            }
        case .site(let reference): fields.put(61, reference)
        case .add(let profile): fields.put(62) { $0.put(1, profile) }
        case .change(let site, let base, let profile):
            fields.put(63, SiteChange(site: site, base: base, profile: profile))
        case .remove(let site): fields.put(64) { $0.put(1, site.description) }
        case .assign(let devices, let site): fields.put(65, AssignmentOrder(site: site, devices: devices))
        case .devices(let site, let cursor): fields.put(66, SiteDevicePull(site: site, cursor: cursor))
        case .assignments(let after): fields.put(67, AssignmentPull(after: after))
        }
    }
}

extension SiteReference: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        let (id, name) = try fields.firstTexts()
        guard id.isEmpty != name.isEmpty else { throw .malformed("site", "an id or a name") }
        guard id.isEmpty else {
            self = .id(try SiteID(wire: id, field: "site.id"))
            return
        }
        self = .name(try name.checked(bytes: Limits.nameBytes, field: "site.name"))
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .id(let id): fields.put(1, id.description)
        case .name(let name): fields.put(2, name)
        }
    }
}

/// What a site is to be, if it is still at that version.
private struct SiteChange: WireFields {
    let site: SiteID
    let base: SiteVersion
    let profile: SiteProfile

    init(site: SiteID, base: SiteVersion, profile: SiteProfile) {
        self.site = site
        self.base = base
        self.profile = profile
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (site, base, profile) = ("", UInt64(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&base)
            case 3: try fields.read(&profile)
            default: break
            }
        }
        self.init(
            site: try SiteID(wire: site), base: try SiteVersion(wire: base, field: "base_version"),
            profile: try SiteProfile(wireIn: profile))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, site.description)
        fields.put(2, base.value)
        fields.put(3, profile)
    }
}

/// Which devices stand where.
private struct AssignmentOrder: WireFields {
    let site: SiteID?
    let devices: [DeviceID]

    init(site: SiteID?, devices: [DeviceID]) {
        self.site = site
        self.devices = devices
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (site, devices) = ("", [DeviceID]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&devices, field: "assign_devices.devices")
            default: break
            }
        }
        guard (1...Limits.faultDevices).contains(devices.count) else {
            throw .malformed("assign_devices.devices", "1 to \(Limits.faultDevices)")
        }
        self.init(site: site.isEmpty ? nil : try SiteID(wire: site), devices: devices)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, site?.description ?? "")
        for device in devices { fields.put(2, device) }
    }
}

/// Whose devices somebody wants.
private struct SiteDevicePull: WireFields {
    let site: SiteID
    let cursor: UInt32

    init(site: SiteID, cursor: UInt32) {
        self.site = site
        self.cursor = cursor
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (site, cursor) = ("", UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&cursor)
            default: break
            }
        }
        self.init(site: try SiteID(wire: site), cursor: cursor)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, site.description)
        fields.put(2, cursor)
    }
}

/// From where on somebody wants assignments.
private struct AssignmentPull: WireFields {
    let after: DeviceID?

    init(after: DeviceID?) {
        self.after = after
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        let text = try fields.firstTexts().0
        after = DeviceID(text)
        guard text.isEmpty || after != nil else { throw .malformedDevice("assignments.after") }
    }

    func write(to fields: inout FieldWriter) {
        if let after { fields.put(1, after) }
    }
}
