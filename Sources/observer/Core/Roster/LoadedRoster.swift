import FleetProtocol
import FoundationEssentials
import UserText

/// The roster of an account with its shifts at a point in time.
struct LoadedRoster: Hashable, Sendable {
    /// The account of the roster.
    let account: AccountID
    /// The roster.
    let roster: Roster
    /// The shifts that had not ended.
    let plan: ShiftPlan
    /// The time when the roster was loaded.
    let asOf: WallTime
}

/// The stored form for the next start: a line of JSON.
extension LoadedRoster {
    private struct Stored: Decodable {
        struct Shift: Decodable {
            let who: String
            let email: String?
            let fromMs: Int64
            let toMs: Int64
        }

        let account: String
        let atMs: Int64
        let version: UInt64
        let name: String
        let message: String
        let timeZone: String
        let shiftCount: UInt32
        let isEnforced: Bool
        let shifts: [Shift]
    }

    /// Decodes a stored roster; nil if the text is not valid.
    init?(json: String) {
        guard let stored = try? JSONDecoder().decode(Stored.self, from: Data(json.utf8)),
            let account = AccountID(stored.account), let zone = TimeZoneName(stored.timeZone),
            stored.version <= Limits.largestOrdinal, FleetProtocol.Shift.times.contains(stored.atMs),
            stored.shifts.count <= Limits.accountShifts,
            let heading = try? RosterHeading(name: stored.name, message: stored.message)
        else { return nil }
        let shifts = stored.shifts.compactMap { shift in
            try? FleetProtocol.Shift(
                who: shift.who, email: shift.email.flatMap { Email($0) },
                from: WallTime(unixMilliseconds: shift.fromMs), to: WallTime(unixMilliseconds: shift.toMs))
        }
        self.init(
            account: account,
            roster: Roster(
                version: RosterVersion(stored.version), heading: heading, timeZone: zone,
                shifts: stored.shiftCount, isEnforced: stored.isEnforced),
            plan: ShiftPlan(shifts), asOf: WallTime(unixMilliseconds: stored.atMs))
    }

    /// The roster as a line of JSON, without a newline.
    var json: String {
        (["account": account.name] + roster.json(plan, at: asOf) + ["shifts": plan.shifts.map(\.json)]).line
    }
}

/// A change of the roster that the screen shows.
enum RosterEvent: Hashable, Sendable {
    /// The stored roster of an earlier time, before the first one is loaded.
    case stored(LoadedRoster)
    /// The roster that the controller sent.
    case loaded(LoadedRoster)
    /// The loading failed; the reason in words.
    case failed(why: String)
}
