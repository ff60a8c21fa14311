// Steps a replica by hand: a snapshot, an update, and a lost update, which the replica detects.
import FleetProtocol
import FleetReplica

let start = Moment(
    monotonic: MonotonicTime(nanoseconds: 0), wall: WallTime(unixMilliseconds: 1_769_860_801_234))
let device = DeviceID(fleetSeed: 1, index: 0)
let (off, on) = (state(isOn: false, version: 1), state(isOn: true, version: 2))
var driver = Driver()

driver.handle(.connection(.established))
driver.handle(.update(update(1, .beat)))
print("complete: \(driver.replica.isWhole)")
driver.handle(.update(update(2, .reported(device, on))))
print("the device is on: \(driver.replica.row(of: device)?.reported.state.isOn == true)")
driver.handle(.update(update(4, .beat)))
print("stale: \(driver.replica.staleness?.name ?? "no")")

/// A driver without a network, which answers each pull at once.
struct Driver {
    private(set) var replica = Replica(random: SeededGenerator(seed: 1))

    /// Hands the replica an input, and carries out the effects.
    mutating func handle(_ input: Replica.Input) {
        var effects: [Replica.Effect] = []
        replica.step(input, at: start, into: &effects)
        for effect in effects {
            switch effect {
            case .pull(let pull): handle(.chunk(snapshot(), answering: pull))
            case .event(let event): print("event at \(event.at.unixMilliseconds)")
            }
        }
        // The next step writes the rows of a chunk.
        if replica.hasUnwrittenRows { handle(.tick) }
    }
}

/// The controller's answer to a pull: the whole fleet in one chunk, as of update 1.
func snapshot() -> SnapshotChunk {
    let row = SnapshotChunk.Row(
        device: device, name: "Bedroom", node: NodeIndex(1), reported: off, isConnected: true,
        connectedSince: start.wall, asOf: start.wall)
    return SnapshotChunk(
        epoch: Epoch(7), sequence: StreamSequence(1), nextCursor: 0, isLast: true, nodes: [], rows: [row])
}

func update(_ number: UInt64, _ body: StreamUpdate.Body) -> StreamUpdate {
    StreamUpdate(epoch: Epoch(7), sequence: StreamSequence(number), at: start.wall, body: body)
}

func state(isOn: Bool, version: UInt64) -> DeviceState {
    DeviceState(
        state: ACState(isOn: isOn, mode: .cool, targetTemperature: 22, fanLevel: .auto),
        version: Version(version), incarnation: Incarnation(bits: 1))
}
