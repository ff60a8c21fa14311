import FleetProtocol
import Stepping

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
