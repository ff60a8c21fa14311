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
