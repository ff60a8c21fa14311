public import FleetProtocol

struct Rosters: AccountTables {
    struct Bounds: Sendable {
        var shifts = Limits.accountShifts
    }

    var tables: [AccountIndex: RosterTable] = [:]
    private let bounds: Bounds

    init(bounds: Bounds = Bounds()) { self.bounds = bounds }

    func isOnDuty(_ email: Email, of account: AccountIndex, at time: WallTime) -> Bool {
        tables[account]?.isOnDuty(email, at: time) ?? false
    }

    /// Why shifts of that size in bytes cannot be staged within an account's share; nil if they can.
    func objection(toStaging shifts: Int, of total: Int, within share: Int) -> String? {
        guard shifts <= bounds.shifts else {
            return "a roster can have at most \(bounds.shifts) shifts; import fewer"
        }
        guard total <= share else {
            return "the account's roster can have at most \(share) bytes; import fewer shifts"
        }
        return nil
    }

    func objection(to heading: RosterHeading, of account: AccountIndex, within share: Int) -> String? {
        let table = self[account]
        let more = heading.bytes - table.heading.bytes
        guard more > 0, table.bytes + more > share else { return nil }
        return "the account's roster can have at most \(share) bytes; shorten the message, or remove shifts"
    }

    /// Removes staged shifts whose import has not continued for ``Limits/stagedFor``.
    mutating func expireStaged(at now: MonotonicTime) {
        for (account, table) in tables {
            guard let staged = table.staged, staged.touchedAt.duration(to: now) > Limits.stagedFor else {
                continue
            }
            self[account].staged = nil
        }
    }
}

/// The roster of one account, and the staged shifts of an import.
struct RosterTable: AccountTable {
    /// Shifts of an import that arrive over several messages and are not in the plan yet.
    struct Staged: Sendable {
        let requestID: RequestID
        var shifts: [Shift] = []
        /// When the last shifts arrived.
        var touchedAt: MonotonicTime

        var bytes: Int { shifts.reduce(0) { $0 + $1.bytesAtMost } }
    }

    private(set) var version = RosterVersion.zero
    private(set) var heading = RosterHeading.empty
    private(set) var timeZone = TimeZoneName.utc
    private(set) var lastImport: RequestID?
    private(set) var plan = ShiftPlan()
    /// The duty times of each user: disjoint spans, in order.
    private var hours: [Email: [ShiftPlan.Span]] = [:]
    /// The size of the heading and the shifts, in bytes.
    private(set) var bytes = 0
    var staged: Staged?
    private var restored: [Shift] = []

    var record: RosterRecord { .roster(version, heading, timeZone: timeZone, lastImport: lastImport) }

    /// Restores a record; the shifts come before the roster.
    mutating func restore(_ record: RosterRecord) {
        switch record {
        case .roster(let version, let heading, let timeZone, let lastImport):
            (self.version, self.heading) = (version, heading)
            (self.timeZone, self.lastImport) = (timeZone, lastImport)
            follow(ShiftPlan(restored))
            restored = []
        case .shift(let shift, _): restored.append(shift)
        }
    }

    func isOnDuty(_ email: Email, at time: WallTime) -> Bool {
        guard let spans = hours[email] else { return false }
        let first = spans.sortedIndex(after: { $0.to <= time })
        return first < spans.count && spans[first].from <= time
    }

    /// Why a user is off duty at a time: the roster is empty, no shift covers the time, or others are on
    /// duty.
    func absence(at time: WallTime) -> OffDuty {
        if plan.shifts.isEmpty { return .noRoster }
        return plan.onDuty(at: time).isEmpty ? .noShift : .others
    }

    mutating func head(_ heading: RosterHeading) {
        version = version.next
        bytes += heading.bytes - self.heading.bytes
        self.heading = heading
    }

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

    /// Merges shifts, sorted by start, into disjoint spans; shifts that touch become one span.
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

extension RosterRecord: RecordContent {
    public typealias Request = RosterRequest

    public var key: RecordKey {
        switch self {
        case .shift(_, let place): Self.key(ofShift: Int(place))
        case .roster: .only(1)
        }
    }

    static func key(ofShift place: Int) -> RecordKey { .number(0, UInt64(place)) }
}
