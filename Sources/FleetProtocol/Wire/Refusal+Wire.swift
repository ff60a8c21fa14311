import FleetTime

/// The kinds of refusals on the wire.
///
/// A full disk is `busy`, and a user off duty is `notAllowed`: another field tells them apart.
enum RefusalKind {
    case offline, busy, unauthenticated, notFound, invalid, idMismatch, idTooOld, notAllowed
}

extension Refusal: WireFields {
    private static let offDutyWords = "only people on duty, and owners, switch devices"

    init(wire fields: consuming FieldReader) throws(WireError) {
        let read = try RefusalFields.read(fields)
        self =
            switch read.kind {
            case .offline: .offline(lastSeen: read.lastSeen)
            case .busy where read.isStorageFull: .storageFull(retryAfter: read.retryAfter)
            case .busy: .busy(retryAfter: read.retryAfter)
            case .unauthenticated: .unauthenticated
            case .notFound: .notFound
            case .invalid: .invalid(read.what)
            case .idMismatch: .idMismatch
            case .idTooOld: .idTooOld(behind: read.behind)
            case .notAllowed: read.offDuty.map { .offDuty($0) } ?? .notAllowed(read.what)
            }
    }

    func write(to fields: inout FieldWriter) {
        switch self {
        case .offline(let lastSeen): RefusalFields.write(kind: .offline, lastSeen: lastSeen, into: &fields)
        case .busy(let retryAfter): RefusalFields.write(kind: .busy, retryAfter: retryAfter, into: &fields)
        case .storageFull(let retryAfter):
            RefusalFields.write(kind: .busy, retryAfter: retryAfter, isStorageFull: true, into: &fields)
        case .unauthenticated: RefusalFields.write(kind: .unauthenticated, into: &fields)
        case .notFound: RefusalFields.write(kind: .notFound, into: &fields)
        case .invalid(let what): RefusalFields.write(kind: .invalid, what: what, into: &fields)
        case .idMismatch: RefusalFields.write(kind: .idMismatch, into: &fields)
        case .idTooOld(let behind): RefusalFields.write(kind: .idTooOld, behind: behind, into: &fields)
        case .notAllowed(let what): RefusalFields.write(kind: .notAllowed, what: what, into: &fields)
        case .offDuty(let reason):
            RefusalFields.write(
                kind: .notAllowed, what: Self.offDutyWords, offDuty: reason, into: &fields)
        }
    }
}
