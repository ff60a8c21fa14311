import FleetProtocol
import Stepping
import Wording

/// What `fleet inject --list` shows of devices.
struct DeviceFaultList: Sendable {
    /// The active faults.
    let list: FaultList
    /// What devices are called, those with a fault at least.
    let names: [DeviceID: String]

    /// For people.
    var lines: [String] {
        guard list.total > 0 else { return ["no device faults are active"] }
        var table = TextTable([("FAULT", .left), ("DEVICE", .left), ("ID", .left), ("ENDS IN", .right)])
        for fault in list.faults {
            table.add([
                words(fault), names[fault.device] ?? "-", fault.device.description,
                DurationText.text(.seconds(max(1, fault.remaining.wholeMilliseconds / 1_000))),
            ])
        }
        let rest = Int(list.total) - list.faults.count
        return table.lines + (rest > 0 ? ["… and \(Count.of(rest, "device fault")) more"] : [])
    }

    /// For scripts, a line for each.
    var json: [JSONValue] {
        list.faults.map { fault in
            [
                "kind": .string(fault.fault.name), "device": .string(fault.device.description),
                "name": .text(names[fault.device]),
                "remainingMs": .integer(fault.remaining.wholeMilliseconds),
                "delayMs": .integer(fault.delay.wholeMilliseconds),
            ]
        }
    }

    private func words(_ fault: ActiveFault) -> String {
        fault.fault.name + (fault.delay > .zero ? " by \(DurationText.text(fault.delay))" : "")
    }
}
