extension SiteID {
    init(wire text: String, field: String = "site") throws(WireError) {
        guard let id = SiteID(text) else { throw .malformed(field, "\(Self.length) letters or digits") }
        self = id
    }
}

extension Coordinates: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (latitude, longitude) = (Int32(0), Int32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&latitude)
            case 2: try fields.read(&longitude)
            default: break
            }
        }
        guard
            let place = Coordinates(latitudeMicrodegrees: latitude, longitudeMicrodegrees: longitude)
        else {
            throw .malformed("coordinates", "millionths of −90 to 90 and of −180 to 180 degrees")
        }
        self = place
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, latitudeMicrodegrees)
        fields.put(2, longitudeMicrodegrees)
    }
}

extension SiteProfile: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (name, description, coordinates) = ("", "", FieldReader?.none)
        var (address, city, country, zone) = ([String](), "", "", "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&name)
            case 2: try fields.read(&description)
            case 3: try fields.read(&coordinates)
            case 4: try fields.read(&address)
            case 5: try fields.read(&city)
            case 6: try fields.read(&country)
            case 7: try fields.read(&zone)
            default: break
            }
        }
        let place: Coordinates? = if let coordinates { try Coordinates(wire: coordinates) } else { nil }
        let code = CountryCode(country)
        guard country.isEmpty || code?.letters == country else {
            throw .malformed("country", "two capital letters (ISO 3166-1 alpha-2)")
        }
        let timeZone = TimeZoneName(zone)
        guard zone.isEmpty || timeZone != nil else {
            throw .malformed("time_zone", "1 to \(Limits.timeZoneBytes) of [A-Za-z0-9_+/-]")
        }
        do throws(SiteError) {
            try self.init(
                name: name, description: description, coordinates: place, address: address, city: city,
                country: code, timeZone: timeZone)
        } catch {
            switch error {
            case .text(let error): throw WireError(error)
            case .lines: throw .malformed("address", "at most \(Limits.siteAddressLines) lines")
            }
        }
    }

    /// The profile that must be there.
    init(wireIn message: FieldReader?) throws(WireError) {
        guard let message else { throw .missing("profile") }
        try self.init(wire: message)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name)
        fields.put(2, description)
        if let coordinates { fields.put(3, coordinates) }
        for line in address { fields.put(4, element: line) }
        fields.put(5, city)
        fields.put(6, country?.letters ?? "")
        fields.put(7, timeZone?.text ?? "")
    }
}

extension Site: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (id, version, profile) = ("", UInt64(0), FieldReader?.none)
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
            profile: try SiteProfile(wireIn: profile))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, id.description)
        fields.put(2, version.value)
        fields.put(3, profile)
    }
}

extension SiteReport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (site, devices, isDescribed) = (FieldReader?.none, UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&site)
            case 2: try fields.read(&devices)
            case 3: try fields.read(&isDescribed)
            default: break
            }
        }
        guard let site else { throw .missing("site") }
        self.init(site: try Site(wire: site), devices: devices, isDescribed: isDescribed)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, site)
        fields.put(2, devices)
        fields.put(3, isDescribed)
    }
}
