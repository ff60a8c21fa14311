/// The kinds of refusals on the wire. A full disk is sent as `busy`, and a user off duty as `notAllowed`;
/// another field distinguishes them.
enum RefusalKind {
    case offline, busy, unauthenticated, notFound, invalid, idMismatch, idTooOld, notAllowed, moved
}

extension Refusal: WireFields {
    private static let offDutyText = "only people on duty, and owners, switch devices"

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
            case .moved: .moved(try Self.cell(of: read.cell))
            }
    }

    private static func cell(of name: CellName?) throws(WireError) -> CellName {
        guard let name else { throw .malformed("refusal.cell", "the name of a cell") }
        return name
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
            RefusalFields.write(kind: .notAllowed, what: Self.offDutyText, offDuty: reason, into: &fields)
        case .moved(let cell): RefusalFields.write(kind: .moved, cell: cell, into: &fields)
        }
    }
}

extension Shift: WireFields {
    /// Reads a shift; an absent name is the email.
    init(wire fields: consuming FieldReader) throws(WireError) {
        let (who, email, from, to) = try ShiftFields.read(fields)
        do throws(ShiftError) {
            try self.init(who: who.isEmpty ? email?.address ?? "" : who, email: email, from: from, to: to)
        } catch {
            switch error {
            case .who(let error): throw WireError(error)
            case .empty, .time: throw .malformed("shift.to_ms", "later than from_ms")
            }
        }
    }

    func write(to fields: inout FieldWriter) {
        ShiftFields.write(
            who: who == email?.address ? "" : who, email: email, from: from, to: to, into: &fields)
    }
}

extension PlannedCloudFault: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        let read = try PlannedCloudFaultFields.read(fields)
        let span: Span =
            if read.isDaily {
                .daily(from: read.from, to: read.to, rest: try Self.checked(read.rest))
            } else {
                .injected(age: try Self.checked(read.age), remaining: try Self.checked(read.remaining))
            }
        self.init(number: read.number, fault: read.fault, span: span, met: read.met)
    }

    func write(to fields: inout FieldWriter) {
        switch span {
        case .injected(let age, let remaining):
            PlannedCloudFaultFields.write(
                number: number, fault: fault, met: met, age: age, remaining: remaining, into: &fields)
        case .daily(let from, let to, let rest):
            PlannedCloudFaultFields.write(
                number: number, fault: fault, met: met, isDaily: true, from: from, to: to, rest: rest,
                into: &fields)
        }
    }

    private static func checked(_ span: Duration) throws(WireError) -> Duration {
        guard span <= CloudPlan.longestSpan else { throw .malformed("cloud", "spans of time") }
        return span
    }
}
