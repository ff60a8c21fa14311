public import FleetProtocol
public import Stepping
public import Wording

/// The roster as the page reads it.
public enum RosterAnswer {
    /// The roster, with those of its shifts that are known.
    public static func json(_ roster: Roster, _ plan: ShiftPlan, at now: WallTime) -> JSONValue {
        guard case .object(let members) = roster.json(plan, at: now) else {
            preconditionFailure("a roster is an object")
        }
        return .object(members + [.init("shifts", .array(plan.shifts.map(\.json)))])
    }
}
