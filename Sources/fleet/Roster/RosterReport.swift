import FleetProtocol
import UserFiles
import UserText

struct RosterReport {
    let roster: Roster
    let plan: ShiftPlan
    /// The clock of the time zone to show times in.
    let clock: ZoneClock
    let now: WallTime

    var lines: [String] { heading + [dutyLine] + nextLines + table }

    private var heading: [String] {
        var lines: [String] = []
        if !roster.heading.name.isEmpty { lines.append(SafeText.of(roster.heading.name)) }
        let message = roster.heading.message.split(
            omittingEmptySubsequences: false, whereSeparator: \.isNewline)
        lines += message.map { SafeText.of(String($0.replacing("\t", with: "    "))) }
        return lines.isEmpty || lines == [""] ? [] : lines + [""]
    }

    private var dutyLine: String {
        let present = plan.onDuty(at: now)
        guard present.isEmpty else {
            let people = present.map { "\($0.text) until \(clock.local($0.to))" }
            return "on duty now: \(people.joined(separator: ", "))"
        }
        let until = plan.nextDuty(from: now).map { " until \(clock.local($0))" } ?? ""
        return "no one is on duty\(until)"
    }

    private var nextLines: [String] {
        guard let next = plan.upcoming(after: now).first else { return [] }
        return ["next: \(next.text) from \(clock.local(next.from))"]
    }

    private var table: [String] {
        guard !plan.shifts.isEmpty else { return [] }
        var table = TextTable([("WHO", .left), ("FROM", .left), ("TO", .left), ("", .left)])
        for shift in plan.shifts {
            let sign = shift.contains(now) ? "on duty" : shift.to <= now ? "over" : ""
            table.add([shift.text, "\(clock.local(shift.from))", "\(clock.local(shift.to))", sign])
        }
        return [""] + table.lines + remarks
    }

    /// The gaps and overlaps of the shifts.
    private var remarks: [String] {
        let spans = [("no one is on duty", plan.gaps), ("several people are on duty", plan.overlaps)]
        return spans.flatMap { Self.remarks($0, on: $1, by: clock) }
    }

    /// Returns a line with the first span and the number of others; empty without spans.
    static func remarks(_ what: String, on spans: [ShiftPlan.Span], by clock: ZoneClock) -> [String] {
        guard let first = spans.first else { return [] }
        let rest = spans.count > 1 ? ", and \(Count.of(spans.count - 1, "time")) more" : ""
        return ["\(what) from \(clock.local(first.from)) to \(clock.local(first.to))\(rest)"]
    }
}
