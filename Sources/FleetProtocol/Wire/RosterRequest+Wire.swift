extension RosterRequest {
    /// What somebody asks about the roster.
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 80: self = .read(try RosterPull(wire: body.message))
        case 81:
            let change = try HeadingChange(wire: body.message)
            self = .change(from: change.base, to: change.heading)
        case 82:
            let staged = try StagedShifts(wire: body.message)
            self = .stage(staged.requestID, after: staged.after, staged.shifts)
        default: self = .replace(try RosterImport(wire: body.message))
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .read(let pull): fields.put(80, pull)
        case .change(let base, let heading): fields.put(81, HeadingChange(base: base, heading: heading))
        case .stage(let requestID, let after, let shifts):
            fields.put(82, StagedShifts(requestID: requestID, after: after, shifts: shifts))
        case .replace(let wanted): fields.put(83, wanted)
        }
    }
}

/// What is to stand over a roster, if it is still at that version.
private struct HeadingChange: WireFields {
    let base: RosterVersion
    let heading: RosterHeading

    init(base: RosterVersion, heading: RosterHeading) {
        self.base = base
        self.heading = heading
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (base, heading) = (UInt64(0), FieldReader?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&base)
            case 2: try fields.read(&heading)
            default: break
            }
        }
        self.init(
            base: try RosterVersion(wire: base, field: "base_version"),
            heading: try RosterHeading(wire: heading))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, base.value)
        fields.put(2, heading)
    }
}

/// Shifts that are put aside for an import.
private struct StagedShifts: WireFields {
    let requestID: RequestID
    let after: UInt32
    let shifts: [Shift]

    init(requestID: RequestID, after: UInt32, shifts: [Shift]) {
        self.requestID = requestID
        self.after = after
        self.shifts = shifts
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (requestID, after, shifts) = (FieldReader?.none, UInt32(0), [Shift]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&requestID)
            case 2: try fields.read(&after)
            case 3: try fields.read(&shifts)
            default: break
            }
        }
        guard (1...Limits.stagedShifts).contains(shifts.count) else {
            throw .malformed("stage_shifts.shifts", "1 to \(Limits.stagedShifts)")
        }
        self.init(requestID: try RequestID(wire: requestID), after: after, shifts: shifts)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, requestID)
        fields.put(2, after)
        for shift in shifts { fields.put(3, shift) }
    }
}
