import CBench
import DeviceCore
import FleetProtocol

/// A node that executes commands, without encoding and sockets.
enum NodeBench {
    private static let devices = 1_000
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    /// Switches the devices in turn.
    static func commands(_ count: Int, measuring measure: (() throws -> Void) throws -> Void) throws {
        guard let name = NodeName("node-1"), let account = AccountID("demo") else { throw BenchFailure.setUp }
        var node = Node(
            NodeConfiguration(name: name, account: account, devices: devices), bootID: BootID(bits: 1),
            incarnations: SeededGenerator(seed: 1), at: start)
        let rows = node.truth
        var effects: [Node.Effect] = []
        try measure {
            for turn in 0..<count {
                effects.removeAll(keepingCapacity: true)
                let message = command(to: rows[turn % devices], round: UInt64(turn / devices))
                node.step(.controller(message), at: start, into: &effects)
                guard effects.count == 3 else { throw BenchFailure.noReply }
            }
        }
    }

    /// Returns a node's heap bytes for each of a number of devices.
    static func bytesADevice(of devices: Int) throws -> Double {
        guard let name = NodeName("node-1"), let account = AccountID("demo") else { throw BenchFailure.setUp }
        let before = bench_heap_bytes()
        var node = Node(
            NodeConfiguration(name: name, account: account, devices: devices), bootID: BootID(bits: 1),
            incarnations: SeededGenerator(seed: 1), at: start)
        var effects: [Node.Effect] = []
        node.step(.turn, at: start, into: &effects)
        let bytes = bench_heap_bytes() - before
        guard node.deviceCount == devices, !effects.isEmpty else { throw BenchFailure.setUp }
        return Double(bytes) / Double(devices)
    }

    /// Returns the command that switches a device in a round, if each earlier round has switched it.
    private static func command(to row: DeviceRow, round: UInt64) -> ControllerMessage {
        let identity = CommandIdentity(
            device: row.device, incarnation: row.reported.incarnation,
            commandNumber: CommandNumber(round + 1),
            requestID: RequestID(high: round, low: row.number.value))
        let change = ACStateChange(isOn: row.reported.state.isOn == (round % 2 == 1))
        return ControllerMessage(
            epoch: Epoch(1),
            body: .command(
                DeviceCommand(identity: identity, change: change, base: nil, timeToLive: .seconds(5))))
    }
}
