import DeviceCore
import FleetProtocol
import Stepping
import Wording

/// What happens at a rehearsal, for scripts: one JSON object a line.
///
/// Every line has `at`, the time of day, `elapsedMs`, the simulated time since the beginning, and `kind`.
struct RehearsalEvents {
    private let startMs: Int64

    /// The events of a rehearsal that starts at that time of day.
    init(startingAt start: Scenario.TimeOfDay) {
        startMs = Int64(start.secondOfDay) * 1_000
    }

    /// Appends the lines of what a node did.
    func append(_ effect: Node.Effect, of rehearsal: Rehearsal, to bytes: inout [UInt8]) {
        switch effect {
        case .publish(let row):
            let members: [JSONValue.Member] =
                row.reported.state.members + [
                    .init("version", .unsigned(row.reported.version.value)),
                    .init("incarnation", .text(row.reported.incarnation)),
                    .init("cause", .text(row.reported.causeWord(row.cause))),
                    .init("connected", .bool(row.isConnected)),
                ]
            append("device", row.device, members, of: rehearsal, to: &bytes)
        case .measured(let devices):
            for one in devices {
                append("measured", one.device, one.measurements.members, of: rehearsal, to: &bytes)
            }
        case .crash: append("crash", nil, [], of: rehearsal, to: &bytes)
        case .remember, .send, .readScenario: break
        }
    }

    private func append(
        _ kind: String, _ device: DeviceID?, _ members: [JSONValue.Member], of rehearsal: Rehearsal,
        to bytes: inout [UInt8]
    ) {
        let elapsed = rehearsal.elapsedMs
        let at = TimeText.timeOfDay(WallTime(unixMilliseconds: startMs + elapsed))
        let common: [JSONValue.Member] = [
            .init("at", .string(at)), .init("elapsedMs", .integer(elapsed)), .init("kind", .string(kind)),
            .init("device", .text(device)), .init("name", .text(device.flatMap(rehearsal.node.name(of:)))),
        ]
        JSONValue.object(common + members).append(to: &bytes)
        bytes.append(UInt8(ascii: "\n"))
    }
}
