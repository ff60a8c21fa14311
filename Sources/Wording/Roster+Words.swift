public import FleetProtocol
public import Stepping

extension Shift {
    /// Who it is of, in words for a terminal: the name as it was written, and the email where both are known.
    public var words: String {
        guard let email, email.address != who else { return SafeText.of(who) }
        return "\(SafeText.of(who)) <\(SafeText.of(email.address))>"
    }

    /// The shift for scripts and pages; who it is of is a stranger's text, as it was written.
    public var json: JSONValue {
        [
            "who": .string(who), "email": .text(email), "fromMs": .integer(from.unixMilliseconds),
            "toMs": .integer(to.unixMilliseconds),
        ]
    }
}

extension Roster {
    /// The roster for scripts and pages; its texts are strangers', as they were written.
    ///
    /// - Parameters:
    ///   - plan: Its shifts, as many as are known.
    ///   - now: When it is.
    public func json(_ plan: ShiftPlan, at now: WallTime) -> JSONValue {
        [
            "version": .unsigned(version.value), "name": .string(heading.name),
            "message": .string(heading.message), "timeZone": .string(timeZone.text),
            "shiftCount": .integer(Int64(shifts)), "isEnforced": .bool(isEnforced),
            "atMs": .integer(now.unixMilliseconds), "onDuty": .array(plan.onDuty(at: now).map(\.json)),
            "nextChangeMs": plan.nextChange(after: now).map { .integer($0.unixMilliseconds) } ?? .null,
        ]
    }
}
