import FleetProtocol
import Stepping
import Wording

/// The active faults of devices, as `fleet inject --list` shows them.
struct DeviceFaultList: Sendable {
    /// The active faults.
    let list: FaultList
    /// The names of devices; it has at least those with a fault.
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

    /// A line of JSON for each fault, for scripts.
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
