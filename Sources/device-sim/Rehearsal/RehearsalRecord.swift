import DeviceCore
import FleetProtocol
import FleetTime
import UserText

/// What became of a fleet at a rehearsal: how it stood every five simulated minutes, and what happened
/// between.
struct RehearsalRecord {
    /// What happened since the sample before.
    struct Events: Equatable {
        /// Devices that changed their state, or lost or found their connection.
        var changes = 0
        /// Measurements that were reported.
        var measurements = 0
        /// Times the node died.
        var crashes = 0
    }

    /// How the fleet stood at a time.
    struct Sample {
        /// Simulated milliseconds since the beginning.
        let elapsedMs: Int64
        /// Devices that were on.
        let on: Int
        /// Devices that had a connection.
        let connected: Int
        /// The temperature in each of ``rooms``, °C.
        let celsius: [Double]
        /// What happened since the sample before.
        let events: Events
    }

    /// A device whose room is looked at.
    struct Room: Equatable {
        let slot: Int
        let name: String
    }

    private static let intervalMs: Int64 = 300_000
    private static let roomsAtMost = 3

    /// The rooms that are looked at: three, evenly spread over the devices.
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

    /// The times at which samples are taken: the beginning, every five minutes, and the end.
    static func sampleTimesMs(until end: Int64) -> [Int64] {
        Array(stride(from: 0, to: end, by: Int(intervalMs))) + [end]
    }

    /// Notes that something happened.
    mutating func note(_ effect: Node.Effect) {
        switch effect {
        case .publish: events.changes += 1
        case .measured(let devices): events.measurements += devices.count
        case .crash: events.crashes += 1
        case .remember, .send, .readScenario: break
        }
    }

    /// Takes a sample.
    mutating func sample(_ rehearsal: Rehearsal) {
        let standing = rehearsal.node.standing
        samples.append(
            Sample(
                elapsedMs: rehearsal.elapsedMs, on: standing.on, connected: standing.connected,
                celsius: rooms.map { rehearsal.node.measurements(ofSlot: $0.slot).celsius }, events: events))
        events = Events()
    }
}

/// What happens at a rehearsal, for scripts: one JSON object a line.
///
/// Every line has `at`, the time of day, `elapsedMs`, the simulated time since the beginning, and `kind`.
struct RehearsalEvents {
    private let startMs: Int64

    /// The events of a rehearsal that starts at that time of day.
    init(startingAt start: Scenario.TimeOfDay) { startMs = Int64(start.secondOfDay) * 1_000 }

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
