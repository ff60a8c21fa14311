import FleetProtocol
import Stepping
import Wording

/// What `fleet inject --list` shows.
struct CloudFaultList: Sendable {
    /// What goes wrong with the cloud.
    let plan: CloudPlan

    /// For people.
    var lines: [String] {
        guard !plan.faults.isEmpty else { return ["no cloud faults are active"] }
        var table = TextTable([
            ("NOW", .left), ("OF", .left), ("MET", .right), ("WHEN", .left), ("WHAT", .left),
        ])
        for planned in plan.faults {
            table.add([
                isInForce(planned) ? "yes" : "no", isInjected(planned) ? "inject" : "scenario",
                planned.fault.kind.isOfPods || planned.fault.kind == .limit
                    ? "-" : FigureText.count(Int(clamping: planned.met)),
                when(planned), planned.fault.words,
            ])
        }
        return table.lines
    }

    /// For scripts, a line for each.
    var json: [JSONValue] {
        plan.faults.map { planned in
            let end = isInForce(planned) ? plan.end(of: planned) : nil
            return .object(
                planned.fault.jsonMembers + [
                    .init("injected", .bool(isInjected(planned))),
                    .init("inForce", .bool(isInForce(planned))), .init("met", .unsigned(planned.met)),
                    .init("remainingMs", end.map { .integer($0.wholeMilliseconds) } ?? .null),
                ])
        }
    }

    private func isInForce(_ planned: PlannedCloudFault) -> Bool {
        plan.age(of: planned, after: .zero) != nil
    }

    private func isInjected(_ planned: PlannedCloudFault) -> Bool {
        if case .injected = planned.span { true } else { false }
    }

    private func when(_ planned: PlannedCloudFault) -> String {
        switch planned.span {
        case .injected(_, let remaining):
            "for \(DurationText.text(.seconds(max(1, remaining.wholeMilliseconds / 1_000))))"
        case .daily(let from, let to, _):
            from == to ? "all day" : "\(Self.time(from)) to \(Self.time(to))"
        }
    }

    private static func time(_ second: UInt32) -> String {
        let (hour, minute) = (second / 60).quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}
