public import FleetProtocol
import Stepping

/// The rosters of all accounts.
struct Rosters: Sendable {
    /// What rosters may take.
    struct Bounds: Sendable {
        var shifts = Limits.accountShifts
    }

    private var tables: [AccountIndex: RosterTable] = [:]
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) {
        self.bounds = bounds
    }

    /// An account's; empty where nothing was ever said.
    subscript(account: AccountIndex) -> RosterTable { tables[account] ?? RosterTable() }

    /// Whether the user of that email is on duty then.
    func isOnDuty(_ email: Email, of account: AccountIndex, at time: WallTime) -> Bool {
        tables[account]?.isOnDuty(email, at: time) ?? false
    }

    /// Whether something was ever said there.
    func has(_ account: AccountIndex) -> Bool { tables[account] != nil }

    /// Takes over what an earlier life has kept.
    mutating func take(_ kept: KeptRoster, of account: AccountIndex) {
        change(account) { $0 = RosterTable(kept) }
    }

    /// Why shifts cannot be put aside; nil where they can.
    ///
    /// - Parameters:
    ///   - total: What all shifts of the import take.
    ///   - share: The bytes that the account may put aside, and as many in its roster.
    func objection(toStaging shifts: Int, of total: Int, within share: Int) -> String? {
        guard shifts <= bounds.shifts else {
            return "a roster has \(bounds.shifts) shifts at most; leave out those that are over"
        }
        guard total <= share else {
            return "the account's roster takes \(share) bytes at most; leave out shifts that are over"
        }
        return nil
    }

    /// Why an account's roster cannot get another heading; nil where it can.
    func objection(to heading: RosterHeading, of account: AccountIndex, within share: Int) -> String? {
        let table = self[account]
        let more = heading.bytes - table.heading.bytes
        guard more > 0, table.bytes + more > share else { return nil }
        return "the account's roster takes \(share) bytes at most; shorten the message, or leave out shifts"
    }

    /// Changes an account's.
    mutating func change<Result>(
        _ account: AccountIndex, _ change: (inout RosterTable) -> Result
    ) -> Result {
        var table = tables.removeValue(forKey: account) ?? RosterTable()
        defer { tables[account] = table }
        return change(&table)
    }

    /// Forgets what was put aside and waits no longer for more.
    mutating func forgetStaged(at now: MonotonicTime) {
        for (account, table) in tables {
            guard let staged = table.staged, staged.touchedAt.duration(to: now) > Limits.stagedFor else {
                continue
            }
            change(account) { $0.staged = nil }
        }
    }
}

/// The roster of one account, and what is put aside to become its shifts.
struct RosterTable: Sendable {
    /// Shifts that come message by message, and are no plan yet.
    struct Staged: Sendable {
        let requestID: RequestID
        var shifts: [Shift] = []
        /// When the last of them came.
        var touchedAt: MonotonicTime

        var bytes: Int { shifts.reduce(0) { $0 + $1.bytesAtMost } }
    }

    private(set) var version = RosterVersion.zero
    private(set) var heading = RosterHeading.unsaid
    private(set) var timeZone = TimeZoneName.utc
    private(set) var lastImport: RequestID?
    private(set) var plan = ShiftPlan()
    /// When each user is on duty: apart from one another, in order.
    private var hours: [Email: [ShiftPlan.Span]] = [:]
    /// What the heading and the shifts take.
    private(set) var bytes = 0
    var staged: Staged?

    /// One of which nothing was said.
    init() {}

    /// One that an earlier life of the controller has kept.
    init(_ kept: KeptRoster) {
        version = kept.version
        heading = kept.heading
        timeZone = kept.timeZone
        lastImport = kept.lastImport
        follow(ShiftPlan(kept.shifts))
    }

    /// Whether the user of that email is on duty then.
    func isOnDuty(_ email: Email, at time: WallTime) -> Bool {
        guard let spans = hours[email] else { return false }
        var (first, end) = (0, spans.count)
        while first < end {
            let middle = (first + end) / 2
            if spans[middle].to <= time { first = middle + 1 } else { end = middle }
        }
        return first < spans.count && spans[first].from <= time
    }

    /// Why somebody who is not on duty then is not.
    func absence(at time: WallTime) -> OffDuty {
        if plan.shifts.isEmpty { return .noRoster }
        return plan.onDuty(at: time).isEmpty ? .nobody : .others
    }

    /// Takes in another heading.
    mutating func head(_ heading: RosterHeading) {
        version = version.next
        bytes += heading.bytes - self.heading.bytes
        self.heading = heading
    }

    /// Has other shifts take the place of all that are there; what was put aside is gone.
    mutating func replace(_ shifts: [Shift], in timeZone: TimeZoneName, by requestID: RequestID) {
        version = version.next
        self.timeZone = timeZone
        lastImport = requestID
        staged = nil
        follow(ShiftPlan(shifts))
    }

    private mutating func follow(_ plan: ShiftPlan) {
        self.plan = plan
        bytes = plan.shifts.reduce(heading.bytes) { $0 + $1.bytesAtMost }
        let named = plan.shifts.compactMap { shift in shift.email.map { (email: $0, shift: shift) } }
        hours = Dictionary(grouping: named, by: \.email).mapValues { Self.joined($0.map(\.shift)) }
    }

    /// The times of shifts that come in the order in which they begin; what touches is one.
    private static func joined(_ shifts: [Shift]) -> [ShiftPlan.Span] {
        var spans: [ShiftPlan.Span] = []
        for shift in shifts {
            if let last = spans.last, shift.from <= last.to {
                spans[spans.count - 1] = ShiftPlan.Span(from: last.from, to: max(last.to, shift.to))
            } else {
                spans.append(ShiftPlan.Span(from: shift.from, to: shift.to))
            }
        }
        return spans
    }
}

/// The roster of an account, as it was kept.
public struct KeptRoster: Hashable, Sendable {
    /// Whose it is.
    public let account: AccountID
    /// How often somebody has said something of it.
    public let version: RosterVersion
    /// What stands over it.
    public let heading: RosterHeading
    /// Where the clocks are by which its shifts were written.
    public let timeZone: TimeZoneName
    /// The import that its shifts came with; nil where none did.
    public let lastImport: RequestID?
    /// The shifts, in order.
    public let shifts: [Shift]

    /// The roster of those parts.
    public init(
        account: AccountID, version: RosterVersion, heading: RosterHeading, timeZone: TimeZoneName,
        lastImport: RequestID?, shifts: [Shift]
    ) {
        self.account = account
        self.version = version
        self.heading = heading
        self.timeZone = timeZone
        self.lastImport = lastImport
        self.shifts = shifts
    }
}
