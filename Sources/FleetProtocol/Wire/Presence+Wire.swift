import Stepping

extension Presence: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (kind, reason, since) = (UInt32(0), UInt32(0), Int64(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&reason)
            case 3: try fields.read(&since)
            default: break
            }
        }
        self.init(try Kind(wire: kind, reason: reason), since: WallTime(wireMilliseconds: since))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, kind.wire)
        if let reason { fields.put(2, reason.wire) }
        fields.put(3, since.unixMilliseconds)
    }
}

extension Presence.Kind {
    fileprivate init(wire number: UInt32, reason: UInt32) throws(WireError) {
        switch number {
        case 1: self = .online
        case 2: self = .stale
        case 3:
            self = .offline(
                try Presence.Reason(wire: reason, field: "presence.reason", expected: "a reason"))
        case 4: self = .unknown
        default: throw .malformed("presence.kind", "a presence")
        }
    }

    fileprivate var wire: UInt32 {
        switch self {
        case .online: 1
        case .stale: 2
        case .offline: 3
        case .unknown: 4
        }
    }
}

extension Presence.Reason: WireEnum {}
