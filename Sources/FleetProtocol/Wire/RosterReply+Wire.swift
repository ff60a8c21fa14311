extension RosterReply {
    /// What there is to say about the roster.
    init(wire body: Choice) throws(WireError) {
        switch body.number {
        case 80: self = .chunk(try RosterChunk(wire: body.message))
        case 81: self = .changed(try Roster(wire: try body.message.firstMessage()))
        case 82: self = .staged(shifts: try body.message.firstNumber())
        default:
            let replaced = try ReplacedRoster(wire: body.message)
            self = .replaced(replaced.roster, strangers: replaced.strangers)
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .chunk(let chunk): fields.put(80, chunk)
        case .changed(let roster): fields.put(81) { $0.put(1, roster) }
        case .staged(let shifts): fields.put(82) { $0.put(1, shifts) }
        case .replaced(let roster, let strangers):
            fields.put(83, ReplacedRoster(roster: roster, strangers: strangers))
        }
    }
}

extension RosterChunk: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (roster, shifts, nextCursor, isLast) = (FieldReader?.none, [Shift](), UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&roster)
            case 2: try fields.read(&shifts)
            case 3: try fields.read(&nextCursor)
            case 4: try fields.read(&isLast)
            default: break
            }
        }
        self.init(
            roster: try Roster(wire: roster), shifts: shifts, nextCursor: nextCursor, isLast: isLast)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, roster)
        for shift in shifts { fields.put(2, shift) }
        fields.put(3, nextCursor)
        fields.put(4, isLast)
    }
}

/// A roster whose shifts are others now.
private struct ReplacedRoster: WireFields {
    let roster: Roster
    let strangers: [Email]

    init(roster: Roster, strangers: [Email]) {
        self.roster = roster
        self.strangers = strangers
    }

    init(wire fields: consuming FieldReader) throws(WireError) {
        var (roster, strangers) = (FieldReader?.none, [String]())
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&roster)
            case 2: try fields.read(&strangers)
            default: break
            }
        }
        var emails: [Email] = []
        for stranger in strangers { emails.append(try Email(wire: stranger, field: "strangers")) }
        self.init(roster: try Roster(wire: roster), strangers: emails)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, roster)
        for stranger in strangers { fields.put(2, element: stranger.address) }
    }
}
