public import FleetProtocol
public import UserText

/// The time span of the shifts that a query requests: `days` days from now on.
public struct RosterWindow: Hashable, Sendable {
    static let usualDays = 31
    private static let daysAtMost = 3_660

    public let days: Int

    /// Parses a query; `days` is a number from 1 to `daysAtMost`.
    public init(_ query: FormFields) throws(APIError) {
        days = try query.number("days", in: 1...Self.daysAtMost) ?? Self.usualDays
    }

    public func end(from now: WallTime) -> WallTime { now.advanced(by: .seconds(86_400 * days)) }
}

public enum RosterResponse {
    public static func json(_ roster: Roster, _ plan: ShiftPlan, at now: WallTime) -> JSONObject {
        roster.json(plan, at: now) + ["shifts": plan.shifts.map(\.json)]
    }
}
