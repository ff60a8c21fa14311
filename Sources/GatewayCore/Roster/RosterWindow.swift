public import FleetProtocol
public import FleetTime
public import UserText

/// Of how many days a query wants shifts: `days`, from now on.
public struct RosterWindow: Hashable, Sendable {
    /// Days where the query does not say.
    public static let usualDays = 31
    private static let daysAtMost = 3_660

    /// How many days.
    public let days: Int

    /// The window that a query names.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` for what is no such number.
    public init(_ query: FormFields) throws(APIError) {
        guard let text = query["days"] else {
            days = Self.usualDays
            return
        }
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = Int(text), (1...Self.daysAtMost).contains(number)
        else { throw .badRequest("days must be a number from 1 to \(Self.daysAtMost)") }
        days = number
    }

    /// When it ends that begins at a time.
    public func end(from now: WallTime) -> WallTime { now.advanced(by: .seconds(86_400 * days)) }
}

/// The roster as the page reads it.
public enum RosterAnswer {
    /// The roster, with those of its shifts that are known.
    public static func json(_ roster: Roster, _ plan: ShiftPlan, at now: WallTime) -> JSONValue {
        guard case .object(let members) = roster.json(plan, at: now) else {
            preconditionFailure("the JSON of a roster is an object")
        }
        return .object(members + [.init("shifts", .array(plan.shifts.map(\.json)))])
    }
}
