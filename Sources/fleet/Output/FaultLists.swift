import FleetProtocol
import UserText

struct DeviceFaultList: Sendable {
    let list: FaultList
    /// The labels of devices, at least of those with a fault.
    let names: [DeviceID: String]

    var lines: [String] {
        guard list.total > 0 else { return ["no device faults are active"] }
        let table = TextTable(
            of: list.faults,
            [
                ("FAULT", .left, text), ("DEVICE", .left, { names[$0.device] ?? "-" }),
                ("ID", .left, { $0.device.description }), ("ENDS IN", .right, { timeLeft($0.remaining) }),
            ])
        let rest = Int(list.total) - list.faults.count
        return table.lines + (rest > 0 ? ["… and \(Count.of(rest, "device fault")) more"] : [])
    }

    var json: [JSONObject] {
        list.faults.map { fault in
            [
                "kind": fault.fault.name, "device": fault.device.description, "name": names[fault.device],
                "remainingMs": fault.remaining.wholeMilliseconds, "delayMs": fault.delay.wholeMilliseconds,
            ]
        }
    }

    private func text(_ fault: ActiveFault) -> String {
        fault.fault.name + (fault.delay > .zero ? " by \(DurationText.text(fault.delay))" : "")
    }
}

struct CloudFaultList: Sendable {
    let plan: CloudPlan

    var lines: [String] {
        guard !plan.faults.isEmpty else { return ["no cloud faults are active"] }
        let columns: [TextTable.Column<PlannedCloudFault>] = [
            ("ACTIVE", .left, { isInForce($0) ? "yes" : "no" }),
            ("SOURCE", .left, { isInjected($0) ? "inject" : "scenario" }), ("HITS", .right, hits),
            ("WHEN", .left, when), ("FAULT", .left, { $0.fault.text }),
        ]
        return TextTable(of: plan.faults, columns).lines
    }

    private func hits(_ planned: PlannedCloudFault) -> String {
        let isCounted = !planned.fault.kind.isOfPods && planned.fault.kind != .limit
        return isCounted ? FigureText.count(Int(clamping: planned.met)) : "-"
    }

    var json: [JSONObject] {
        plan.faults.map { planned in
            let end = isInForce(planned) ? plan.end(of: planned) : nil
            return planned.fault.jsonMembers + [
                "injected": isInjected(planned), "inForce": isInForce(planned), "met": planned.met,
                "remainingMs": end?.wholeMilliseconds,
            ]
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
            "for \(timeLeft(remaining))"
        case .daily(let from, let to, _): from == to ? "all day" : "\(Self.time(from)) to \(Self.time(to))"
        }
    }

    private static func time(_ second: UInt32) -> String {
        let (hour, minute) = (second / 60).quotientAndRemainder(dividingBy: 60)
        return "\(hour < 10 ? "0" : "")\(hour):\(minute < 10 ? "0" : "")\(minute)"
    }
}

/// The rest of a fault's time in whole seconds, at least one.
private func timeLeft(_ remaining: Duration) -> String {
    DurationText.text(.seconds(max(1, remaining.wholeMilliseconds / 1_000)))
}
