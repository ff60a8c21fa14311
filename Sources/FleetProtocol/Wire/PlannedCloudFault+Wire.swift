import FleetTime

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
