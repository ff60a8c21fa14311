import FleetTime

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
