extension Author: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        let (number, email) = try AuthorFields.read(fields)
        guard number > .zero else {
            guard email == nil else { throw .malformed("author.email", "none: 0 is the controller") }
            self = .controller
            return
        }
        self.init(number: number, email: try Email(wire: email ?? "", field: "author.email"))
    }

    func write(to fields: inout FieldWriter) {
        AuthorFields.write(number: number, email: email?.address, into: &fields)
    }
}

extension PostSubject: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        let (text, name, site) = try PostSubjectFields.read(fields)
        let device = DeviceID(text)
        if let device, site.isEmpty {
            let name = try name.checked(bytes: Limits.nameBytes, field: "subject.device_name")
            self = .device(device, name: name)
        } else if device == nil, !site.isEmpty {
            self = .site(try site.checked(bytes: Limits.nameBytes, field: "subject.site"))
        } else {
            throw .malformed("subject", "a device of 8 letters or digits, or a site")
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .device(let device, let name):
            PostSubjectFields.write(device: device.description, deviceName: name, into: &fields)
        case .site(let site): PostSubjectFields.write(site: site, into: &fields)
        }
    }
}

extension SiteReference: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        let (id, name) = try SiteQueryFields.read(fields)
        guard id.isEmpty != name.isEmpty else { throw .malformed("site", "an id or a name") }
        self =
            if id.isEmpty {
                .name(try name.checked(bytes: Limits.nameBytes, field: "site.name"))
            } else {
                .id(try SiteID(wire: id, field: "site.id"))
            }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .id(let id): SiteQueryFields.write(id: id.description, into: &fields)
        case .name(let name): SiteQueryFields.write(name: name, into: &fields)
        }
    }
}
