/// The shifts of a roster in the order of their start times.
///
/// All code that computes who is on duty uses this type, or the page's `shifts.js`, which has the same rules.
public struct ShiftPlan: Hashable, Sendable {
    /// A half-open interval of time.
    public struct Span: Hashable, Sendable {
        /// The start.
        public let from: WallTime
        /// The end, which is excluded.
        public let to: WallTime

        /// The span between those moments.
        public init(from: WallTime, to: WallTime) { (self.from, self.to) = (from, to) }
    }

    /// The shifts, in order.
    public let shifts: [Shift]

    /// Creates a plan of shifts, which may come in any order.
    public init(_ shifts: [Shift] = []) { self.shifts = shifts.sorted() }

    /// Returns the shifts on duty at a time in plan order, one for each person: the one that ends last.
    public func onDuty(at time: WallTime) -> [Shift] {
        let present = shifts.prefix { $0.from <= time }.filter { $0.contains(time) }
        var last: [String: Shift] = [:]
        for shift in present where last[shift.person].map({ $0.to < shift.to }) ?? true {
            last[shift.person] = shift
        }
        return present.filter { last[$0.person] == $0 }.uniqued()
    }

    /// Returns the next start or end of a shift after a time; nil after the last.
    public func nextChange(after time: WallTime) -> WallTime? {
        shifts.lazy.flatMap { [$0.from, $0.to] }.filter { $0 > time }.min()
    }

    /// Returns the given time if a shift covers it, and otherwise the start of the next shift; nil after the
    /// last.
    public func nextDuty(from time: WallTime) -> WallTime? {
        shifts.first { $0.to > time }.map { max($0.from, time) }
    }

    /// Returns the shifts that begin after a time.
    public func upcoming(after time: WallTime) -> ArraySlice<Shift> {
        shifts.drop { $0.from <= time }
    }

    /// The spans between the first and the last shift without a person on duty.
    public var gaps: [Span] { spans { $0 == 0 } }

    /// The spans in which at least two people are on duty.
    public var overlaps: [Span] { spans { $0 > 1 } }

    /// Returns the maximal spans between the first and the last shift whose number of people matches.
    private func spans(where isWanted: (_ people: Int) -> Bool) -> [Span] {
        // Ends sort before starts of the same time, so that adjacent shifts do not overlap.
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

extension [Shift] {
    /// Removes duplicates, which are adjacent because the shifts are sorted.
    fileprivate func uniqued() -> [Shift] {
        enumerated().filter { $0 == 0 || self[$0 - 1] != $1 }.map(\.element)
    }
}

/// The reason why a shift is invalid.
public enum ShiftError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The person's name is not allowed, for that reason.
    case who(LogbookTextError)
    /// The shift does not end after it begins.
    case empty
    /// The start or the end is outside the years 1970 to 9999.
    case time

    /// The field and the allowed values; the description never includes the user's text.
    public var description: String {
        switch self {
        case .who(let error): error.description
        case .empty: "to: a shift ends after it begins"
        case .time: "from, to: times from 1970 to 9999 are allowed"
        }
    }
}

/// The interval in which a person is on duty.
///
/// The interval is half open: a shift that starts at ten includes ten, and one that ends at ten does not.
public struct Shift: Hashable, Sendable {
    /// The allowed start and end times, in milliseconds since 1970, up to the end of the year 9999.
    public static let times: ClosedRange<Int64> = 0...253_402_300_799_999

    /// The person's name or email, as untrusted text: one line with a visible character, and at most
    /// ``Limits/nameBytes`` bytes unless it is the email.
    public let who: String
    /// The email that the person logs in with; nil if it is not set.
    ///
    /// The user may be added after the plan, so the controller looks the email up when a request needs it.
    public let email: Email?
    /// The start of the shift.
    public let from: WallTime
    /// The end of the shift, which is excluded.
    public let to: WallTime

    /// A shift with the given values.
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
        (self.who, self.email, self.from, self.to) = (who, email, from, to)
    }

    /// The key that identifies the person: the email, or the name of a person without one.
    public var person: String { email?.address ?? who }

    /// Returns whether the shift covers a time.
    public func contains(_ time: WallTime) -> Bool { from <= time && time < to }

    /// The upper bound of the shift's size in messages and in storage: 40 bytes for numbers and framing, and
    /// the texts.
    public var bytesAtMost: Int {
        40 + (who == email?.address ? 0 : who.utf8.count) + (email?.address.utf8.count ?? 0)
    }
}

extension Shift: Comparable {
    /// Compares shifts by start, end, person and name, in that order.
    public static func < (left: Shift, right: Shift) -> Bool {
        (left.from, left.to, left.person, left.who) < (right.from, right.to, right.person, right.who)
    }
}
