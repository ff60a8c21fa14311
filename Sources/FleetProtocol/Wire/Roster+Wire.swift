import Stepping

extension WallTime {
    /// The time that a shift may begin or end at.
    fileprivate init(shiftMilliseconds milliseconds: Int64, field: String) throws(WireError) {
        guard Shift.times.contains(milliseconds) else {
            throw .malformed(field, "milliseconds from 1970 to the end of the year 9999")
        }
        self.init(unixMilliseconds: milliseconds)
    }
}

extension TimeZoneName {
    /// The zone that must be named.
    init(wire text: String, field: String) throws(WireError) {
        guard let zone = TimeZoneName(text) else {
            throw .malformed(field, "1 to \(Limits.timeZoneBytes) of [A-Za-z0-9_+/-]")
        }
        self = zone
    }
}

extension Shift: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (who, email, from, to) = ("", "", Int64(0), Int64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&who)
            case 2: try fields.read(&email)
            case 3: try fields.read(&from)
            case 4: try fields.read(&to)
            default: break
            }
        }
        let user: Email? = email.isEmpty ? nil : try Email(wire: email, field: "shift.email")
        let beginning = try WallTime(shiftMilliseconds: from, field: "shift.from_ms")
        let end = try WallTime(shiftMilliseconds: to, field: "shift.to_ms")
        do throws(ShiftError) {
            try self.init(
                who: who.isEmpty ? user?.address ?? "" : who, email: user, from: beginning, to: end)
        } catch {
            switch error {
            case .who(let error): throw WireError(error)
            case .empty, .time: throw .malformed("shift.to_ms", "later than from_ms")
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        if who != email?.address { fields.put(1, who) }
        if let email { fields.put(2, email.address) }
        fields.put(3, from.unixMilliseconds)
        fields.put(4, to.unixMilliseconds)
    }
}

extension RosterHeading: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        let (name, message) = try fields.firstTexts()
        do throws(LogbookTextError) {
            try self.init(name: name, message: message)
        } catch {
            throw WireError(error)
        }
    }

    /// The heading that is there, or that nobody has said anything.
    init(wire message: FieldReader?) throws(WireError) {
        guard let message else {
            self = .unsaid
            return
        }
        try self.init(wire: message)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, name)
        fields.put(2, message)
    }
}

extension Roster: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (version, heading, zone) = (UInt64(0), FieldReader?.none, "")
        var (shifts, isEnforced) = (UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&version)
            case 2: try fields.read(&heading)
            case 3: try fields.read(&zone)
            case 4: try fields.read(&shifts)
            case 5: try fields.read(&isEnforced)
            default: break
            }
        }
        self.init(
            version: try RosterVersion(wire: version, field: "roster.version"),
            heading: try RosterHeading(wire: heading),
            timeZone: try TimeZoneName(wire: zone, field: "roster.time_zone"), shifts: shifts,
            isEnforced: isEnforced)
    }

    /// The roster that must be there.
    init(wire message: FieldReader?) throws(WireError) {
        guard let message else { throw .missing("roster") }
        try self.init(wire: message)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, version.value)
        fields.put(2, heading)
        fields.put(3, timeZone.text)
        fields.put(4, shifts)
        fields.put(5, isEnforced)
    }
}

extension RosterPull: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (from, until, cursor) = (Int64(0), Int64(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&from)
            case 2: try fields.read(&until)
            case 3: try fields.read(&cursor)
            default: break
            }
        }
        self.init(
            from: try WallTime(shiftMilliseconds: from, field: "roster.from_ms"),
            until: until == 0 ? nil : try WallTime(shiftMilliseconds: until, field: "roster.until_ms"),
            cursor: cursor)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, from.unixMilliseconds)
        fields.put(2, until?.unixMilliseconds ?? 0)
        fields.put(3, cursor)
    }
}

extension RosterImport: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, base, shifts, zone) = (FieldReader?.none, UInt64(0), UInt32(0), "")
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&base)
            case 3: try fields.read(&shifts)
            case 4: try fields.read(&zone)
            default: break
            }
        }
        self.init(
            requestID: try RequestID(wire: requestID),
            base: try RosterVersion(wire: base, field: "base_version"), shifts: shifts,
            timeZone: try TimeZoneName(wire: zone, field: "time_zone"))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, base.value)
        fields.put(3, shifts)
        fields.put(4, timeZone.text)
    }
}
