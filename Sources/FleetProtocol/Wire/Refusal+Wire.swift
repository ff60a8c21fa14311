import Stepping

extension OffDuty: WireEnum {}

extension Refusal: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (kind, lastSeen, retryAfter, behind, what) = (UInt32(0), Int64(0), UInt32(0), Int64(0), "")
        var (offDuty, isStorageFull) = (UInt32(0), false)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&kind)
            case 2: try fields.read(&lastSeen)
            case 3: try fields.read(&retryAfter)
            case 4: try fields.read(&behind)
            case 5: try fields.read(&what)
            case 6: try fields.read(&offDuty)
            case 7: try fields.read(&isStorageFull)
            default: break
            }
        }
        what = try what.checked(bytes: Limits.explanationBytes, field: "refusal.what")
        switch kind {
        case 1: self = .offline(lastSeen: lastSeen == 0 ? nil : WallTime(wireMilliseconds: lastSeen))
        case 2:
            let pause = Duration.milliseconds(Int64(retryAfter))
            self = isStorageFull ? .storageFull(retryAfter: pause) : .busy(retryAfter: pause)
        case 3: self = .unauthenticated
        case 4: self = .notFound
        case 5: self = .invalid(what)
        case 6: self = .idMismatch
        case 7: self = .idTooOld(behind: Duration(wireMilliseconds: behind))
        case 8:
            guard offDuty > 0 else {
                self = .notAllowed(what)
                return
            }
            let reason = try OffDuty(wire: offDuty, field: "refusal.off_duty", expected: "why nobody may")
            self = .offDuty(reason)
        default: throw .malformed("refusal.kind", "a refusal")
        }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .offline(let lastSeen):
            fields.put(1, UInt32(1))
            fields.put(2, lastSeen?.unixMilliseconds ?? 0)
        case .busy(let retryAfter):
            fields.put(1, UInt32(2))
            fields.put(3, UInt32(clamping: retryAfter.wholeMilliseconds))
        case .storageFull(let retryAfter):
            fields.put(1, UInt32(2))
            fields.put(3, UInt32(clamping: retryAfter.wholeMilliseconds))
            fields.put(7, true)
        case .unauthenticated: fields.put(1, UInt32(3))
        case .notFound: fields.put(1, UInt32(4))
        case .invalid(let what):
            fields.put(1, UInt32(5))
            fields.put(5, what.cut(toBytes: Limits.explanationBytes))
        case .idMismatch: fields.put(1, UInt32(6))
        case .idTooOld(let behind):
            fields.put(1, UInt32(7))
            fields.put(4, behind.wholeMilliseconds)
        case .notAllowed(let what):
            fields.put(1, UInt32(8))
            fields.put(5, what.cut(toBytes: Limits.explanationBytes))
        case .offDuty(let reason):
            fields.put(1, UInt32(8))
            fields.put(5, "only people on duty, and owners, switch devices")
            fields.put(6, reason.wire)
        }
    }
}
