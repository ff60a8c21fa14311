import DeviceCore
import FleetProtocol
import UserText

/// The record of a rehearsal: the state of the fleet every five simulated minutes, and the events in between.
struct RehearsalRecord {
    /// The events since the previous sample.
    struct Events: Equatable {
        /// Devices that changed their state, or lost or regained their connection.
        var changes = 0
        var measurements = 0
        /// Deaths of the node.
        var crashes = 0
    }

    /// The state of the fleet at a time.
    struct Sample {
        /// Simulated milliseconds since the start.
        let elapsedMs: Int64
        let on: Int
        let connected: Int
        /// The temperature in each of ``rooms``, °C.
        let celsius: [Double]
        /// The events since the previous sample.
        let events: Events
    }

    /// A device whose room temperature is sampled.
    struct Room: Equatable {
        let slot: Int
        let name: String
    }

    private static let intervalMs: Int64 = 300_000
    private static let roomsAtMost = 3

    /// The sampled rooms: three, evenly spread over the devices.
    let rooms: [Room]
    private(set) var samples: [Sample] = []
    private var events = Events()

    /// A record without samples.
    init(of node: Node) {
        let count = min(Self.roomsAtMost, node.deviceCount)
        rooms = (0..<count).map { place in
            let slot = place * node.deviceCount / count
            return Room(slot: slot, name: node.name(ofSlot: slot))
        }
    }

    /// Returns the sample times: the start, every five minutes, and the end.
    static func sampleTimesMs(until end: Int64) -> [Int64] {
        Array(stride(from: 0, to: end, by: Int(intervalMs))) + [end]
    }

    mutating func add(_ effect: Node.Effect) {
        switch effect {
        case .publish: events.changes += 1
        case .measured(let devices): events.measurements += devices.count
        case .crash: events.crashes += 1
        case .remember, .send, .readScenario, .connect, .refused: break
        }
    }

    mutating func sample(_ rehearsal: Rehearsal) {
        let standing = rehearsal.node.standing
        samples.append(
            Sample(
                elapsedMs: rehearsal.elapsedMs, on: standing.on, connected: standing.connected,
                celsius: rooms.map { rehearsal.node.measurements(ofSlot: $0.slot).celsius }, events: events))
        events = Events()
    }
}

/// The events of a rehearsal for scripts: one JSON object a line.
///
/// Every line has `at`, the time of day, `elapsedMs`, the simulated time since the start, and `kind`.
struct RehearsalEvents {
    private let startMs: Int64

    /// The events of a rehearsal that starts at a time of day.
    init(startingAt start: Scenario.TimeOfDay) { startMs = Int64(start.secondOfDay) * 1_000 }

    /// Appends the lines for an effect of a node.
    func append(_ effect: Node.Effect, of rehearsal: Rehearsal, to bytes: inout [UInt8]) {
        switch effect {
        case .publish(let row):
            let members: JSONObject =
                row.reported.state.members + [
                    "version": row.reported.version.value,
                    "incarnation": row.reported.incarnation.description,
                    "cause": row.reported.causeWord(row.cause), "connected": row.isConnected,
                ]
            append("device", row.device, members, of: rehearsal, to: &bytes)
        case .measured(let devices):
            for one in devices {
                append("measured", one.device, one.measurements.members, of: rehearsal, to: &bytes)
            }
        case .crash: append("crash", nil, [:], of: rehearsal, to: &bytes)
        case .remember, .send, .readScenario, .connect, .refused: break
        }
    }

    private func append(
        _ kind: String, _ device: DeviceID?, _ members: JSONObject, of rehearsal: Rehearsal,
        to bytes: inout [UInt8]
    ) {
        let elapsed = rehearsal.elapsedMs
        let at = TimeText.timeOfDay(WallTime(unixMilliseconds: startMs + elapsed))
        let common: JSONObject = [
            "at": at, "elapsedMs": elapsed, "kind": kind, "device": device?.description,
            "name": device.flatMap(rehearsal.node.name(of:)),
        ]
        bytes += JSONWriter.bytes(of: common + members)
        bytes.append(UInt8(ascii: "\n"))
    }
}
