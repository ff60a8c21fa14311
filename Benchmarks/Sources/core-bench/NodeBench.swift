import DeviceCore
import FleetProtocol
import Stepping

/// A node that carries commands out: no bytes, no sockets.
enum NodeBench {
    static func commands(_ count: Int) throws -> () throws -> Void {
        guard let name = NodeName("node-1"), let account = AccountID("demo") else { throw BenchFailure.setUp }
        let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
        var node = Node(
            NodeConfiguration(name: name, account: account, devices: 1_000), bootID: BootID(bits: 1),
            incarnations: SeededGenerator(seed: 1), at: start)
        let rows = node.truth
        var effects: [Node.Effect] = []
        return {
            for turn in 0..<count {
                let row = rows[turn % rows.count]
                let round = UInt64(turn / rows.count)
                effects.removeAll(keepingCapacity: true)
                let command = DeviceCommand(
                    identity: CommandIdentity(
                        device: row.device, incarnation: row.reported.incarnation,
                        sequence: CommandSequence(round + 1),
                        requestID: RequestID(high: round, low: UInt64(turn))),
                    change: ACStateChange(isOn: row.reported.state.isOn == (round % 2 == 1)), base: nil,
                    timeToLive: .seconds(5))
                node.step(
                    .controller(ControllerMessage(epoch: Epoch(1), body: .command(command))), at: start,
                    into: &effects)
                guard effects.count == 3 else { throw BenchFailure.noAnswer }
            }
        }
    }
}
