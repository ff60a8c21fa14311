public import Stepping

/// Who is on duty when: shifts, in the order in which they begin.
///
/// Whoever tells or asks who is on duty asks here, or the page's own `shifts.js`, which says the same.
public struct ShiftPlan: Hashable, Sendable {
    /// A time from a moment on, and up to another.
    public struct Span: Hashable, Sendable {
        /// Its beginning.
        public let from: WallTime
        /// Its end, which is no part of it.
        public let to: WallTime

        /// The span between those moments.
        public init(from: WallTime, to: WallTime) {
            self.from = from
            self.to = to
        }
    }

    /// The shifts, in order.
    public let shifts: [Shift]

    /// The plan of those shifts, in whatever order they come.
    public init(_ shifts: [Shift] = []) {
        self.shifts = shifts.sorted()
    }

    /// Who is on duty then: one shift of each person, the one that ends last, in the order of the plan.
    public func onDuty(at time: WallTime) -> [Shift] {
        let present = shifts.prefix { $0.from <= time }.filter { $0.contains(time) }
        var last: [String: Shift] = [:]
        for shift in present where (last[shift.person]?.to ?? .distantPast) < shift.to {
            last[shift.person] = shift
        }
        return present.filter { last[$0.person] == $0 }.uniqued()
    }

    /// When somebody comes on or goes off duty next, after that time; nil where nobody does any more.
    public func nextChange(after time: WallTime) -> WallTime? {
        shifts.lazy.flatMap { [$0.from, $0.to] }.filter { $0 > time }.min()
    }

    /// When somebody is on duty: at that time, if anybody is then, or from when on; nil: never again.
    public func nextDuty(from time: WallTime) -> WallTime? {
        shifts.first { $0.to > time }.map { max($0.from, time) }
    }

    /// The shifts that begin after that time.
    public func upcoming(after time: WallTime) -> ArraySlice<Shift> {
        shifts.drop { $0.from <= time }
    }

    /// When nobody is on duty between the first shift and the last.
    public var gaps: [Span] { spans { $0 == 0 } }

    /// When two people or more are on duty.
    public var overlaps: [Span] { spans { $0 > 1 } }

    /// The longest spans between the first shift and the last in which so many people are on duty.
    private func spans(where isWanted: (_ people: Int) -> Bool) -> [Span] {
        // Who goes off duty when somebody comes on is not on duty together with them.
        let changes = shifts.flatMap { [($0.from, 1, $0.person), ($0.to, -1, $0.person)] }
            .sorted { ($0.0, $0.1) < ($1.0, $1.1) }
        var (present, spans) = ([String: Int](), [Span]())
        for (place, (time, step, person)) in changes.enumerated() {
            let count = present[person, default: 0] + step
            present[person] = count == 0 ? nil : count
            guard place + 1 < changes.count, time < changes[place + 1].0, isWanted(present.count) else {
                continue
            }
            if let last = spans.last, last.to == time {
                spans[spans.count - 1] = Span(from: last.from, to: changes[place + 1].0)
            } else {
                spans.append(Span(from: time, to: changes[place + 1].0))
            }
        }
        return spans
    }
}

extension WallTime {
    fileprivate static var distantPast: WallTime { WallTime(unixMilliseconds: .min) }
}

extension [Shift] {
    /// Each but once: what is written twice stands behind itself.
    fileprivate func uniqued() -> [Shift] {
        enumerated().filter { $0 == 0 || self[$0 - 1] != $1 }.map(\.element)
    }
}

/// Why something is no shift.
public enum ShiftError: Error, Hashable, Sendable, CustomStringConvertible {
    /// Who it is of is not allowed; why.
    case who(LogbookTextError)
    /// It ends when it begins, or earlier.
    case empty
    /// It begins or ends at a time that no calendar here shows.
    case time

    /// What is wrong, and what is allowed; never the text.
    public var description: String {
        switch self {
        case .who(let error): error.description
        case .empty: "to: a shift ends after it begins"
        case .time: "from, to: times from 1970 to 9999 are allowed"
        }
    }
}

/// That somebody is on duty from one time to another.
///
/// It is half open: who comes on duty at ten is on duty at ten, and who goes off duty at ten no longer is.
public struct Shift: Hashable, Sendable {
    /// The times that one begins and ends at, milliseconds since 1970: up to the end of the year 9999.
    public static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// Who, as somebody wrote it: one line of 1 to ``Limits/nameBytes`` bytes of which something can be
    /// seen, or the email; text of strangers.
    public let who: String
    /// By which they log in; nil where nobody said.
    ///
    /// Whether there is such a user, is seen when it matters: somebody may be taken in after the plan was
    /// made.
    public let email: Email?
    /// When it begins.
    public let from: WallTime
    /// When it has ended.
    public let to: WallTime

    /// The shift of those parts.
    ///
    /// - Throws: ``ShiftError``.
    public init(who: String, email: Email? = nil, from: WallTime, to: WallTime) throws(ShiftError) {
        if who != email?.address {
            do throws(LogbookTextError) {
                _ = try LogbookText.line(who, of: "who", bytes: Limits.nameBytes)
            } catch {
                throw .who(error)
            }
        }
        guard Self.times.contains(from.unixMilliseconds), Self.times.contains(to.unixMilliseconds) else {
            throw .time
        }
        guard from < to else { throw .empty }
        self.who = who
        self.email = email
        self.from = from
        self.to = to
    }

    /// Who it is of, to tell people apart: by the email, and by the name where there is none.
    public var person: String { email?.address ?? who }

    /// Whether they are on duty then.
    public func contains(_ time: WallTime) -> Bool { from <= time && time < to }

    /// What it takes of a message's bytes at most, and of the room for rosters: 40 for its numbers and
    /// frames, and its texts.
    public var bytesAtMost: Int {
        40 + (who == email?.address ? 0 : who.utf8.count) + (email?.address.utf8.count ?? 0)
    }
}

extension Shift: Comparable {
    /// Whether the first begins earlier; of those that begin together, whether it ends earlier; and then by
    /// who it is.
    public static func < (left: Shift, right: Shift) -> Bool {
        (left.from, left.to, left.person, left.who) < (right.from, right.to, right.person, right.who)
    }
}
