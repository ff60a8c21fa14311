import CBench
import ControllerCore
import FleetProtocol

/// A controller core and a device that executes each command at once, without encoding and sockets.
struct ControllerBench {
    private static let few = 1_000
    private static let many = 100_000
    /// The rate by which the IDs' times advance.
    private static let requestsPerMillisecond = 50
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    private let client = ConnectionID(high: 1, low: 1)
    private let node = ConnectionID(high: 1, low: 2)
    private let digest: TokenDigest
    private var controller: Controller
    private var effects = Controller.Effects()
    private var rows: [DeviceRow]
    private var lastNumber: ChangeNumber

    /// Toggles a few devices in turn, each request with a new request ID.
    static func toggles(_ count: Int, measuring measure: (() throws -> Void) throws -> Void) throws {
        try toggles(count, of: few, measuring: measure)
    }

    /// The same with many devices.
    static func togglesOfMany(_ count: Int, measuring measure: (() throws -> Void) throws -> Void) throws {
        try toggles(count, of: many, measuring: measure)
    }

    /// Returns the controller's heap bytes for each of a number of devices.
    static func bytesADevice(of devices: Int) throws -> Double {
        var bench = try ControllerBench(devices: devices)
        let before = bench_heap_bytes()
        try bench.bringUp()
        let bytes = bench_heap_bytes() - before
        var generator = SeededGenerator(seed: 1)
        try bench.toggle(devices - 1, as: RequestID(at: start.wall, using: &generator))
        return Double(bytes) / Double(devices)
    }

    private static func toggles(
        _ count: Int, of devices: Int, measuring measure: (() throws -> Void) throws -> Void
    ) throws {
        var bench = try ControllerBench(devices: devices)
        try bench.bringUp()
        var generator = SeededGenerator(seed: 1)
        let ids = (0..<count).map { index in
            let passed = Int64(index / Self.requestsPerMillisecond)
            let time = WallTime(unixMilliseconds: Self.start.wall.unixMilliseconds + passed)
            return RequestID(at: time, using: &generator)
        }
        try measure {
            for (turn, id) in ids.enumerated() { try bench.toggle(turn % devices, as: id) }
        }
    }

    /// Returns a controller with one user and without devices.
    private init(devices: Int) throws {
        guard let account = AccountID("demo"), let email = Email("demo@sensibus.local"),
            let digest = TokenDigest([UInt8](repeating: 1, count: 32))
        else { throw BenchFailure.setUp }
        self.digest = digest
        let session = Session(account: account, email: email, role: .owner, isOperator: true)
        let user = ControllerConfiguration.User(session: session, passwordHash: "")
        let open = ControllerConfiguration.OpenSession(
            digest: digest, email: email, openedAt: Self.start.wall)
        controller = Controller(
            ControllerConfiguration(epoch: Epoch(1), users: [user], sessions: [open], seed: 1),
            at: Self.start)
        lastNumber = ChangeNumber(UInt64(devices))
        rows = (0..<devices).map { index in
            DeviceRow(
                device: DeviceID(fleetSeed: 1, index: UInt64(index)),
                number: ChangeNumber(UInt64(index + 1)),
                reported: DeviceState(
                    state: ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                    version: Version(1), incarnation: Incarnation(bits: 7)),
                epoch: Epoch(1), lastCommandNumber: .zero, isConnected: true)
        }
    }

    /// Reports the node's devices to the controller, chunk by chunk.
    private mutating func bringUp() throws {
        guard let account = AccountID("demo"), let name = NodeName("node-1") else { throw BenchFailure.setUp }
        send(.hello(NodeHello(node: name, account: account, devices: UInt32(rows.count))))
        for start in stride(from: 0, to: rows.count, by: Limits.chunkRows) {
            let end = min(start + Limits.chunkRows, rows.count)
            let part = rows[start..<end].map { RowChunk.Row(device: $0, name: "Bedroom \($0.number)") }
            guard case .pull(_, _, let number)? = effects.messages.last?.message.body else {
                throw BenchFailure.setUp
            }
            effects.removeAll()
            send(
                .rows(
                    RowChunk(
                        since: .zero, cursor: UInt32(start), nextCursor: UInt32(end),
                        isLast: end == rows.count, pull: number, rows: part)))
        }
        effects = Controller.Effects()
    }

    private mutating func toggle(_ index: Int, as id: RequestID) throws {
        effects.removeAll()
        let command = Command(requestID: id, device: rows[index].device, kind: .toggle)
        let request = ClientRequest(correlation: 1, token: nil, body: .command(command))
        controller.receive(request, from: client, digest: digest, at: Self.start, into: &effects)
        controller.step(.stored(took: .zero), at: Self.start, into: &effects)
        lastNumber = lastNumber.next
        rows[index] = Self.toggled(rows[index], as: lastNumber)
        let result = CommandResult(
            commandNumber: rows[index].lastCommandNumber, requestID: id, verdict: .applied,
            judged: rows[index].reported, deviceUs: 1, row: rows[index])
        send(.result(result))
        guard !effects.replies.isEmpty else {
            throw BenchFailure.noReply
        }
    }

    private mutating func send(_ body: NodeMessage.Body) {
        let message = NodeMessage(bootID: BootID(bits: 1), lastNumber: lastNumber, body: body)
        controller.receive(message, from: node, at: Self.start, into: &effects)
    }

    /// A method of the bench would copy the whole controller where it is not inlined.
    private static func toggled(_ row: DeviceRow, as number: ChangeNumber) -> DeviceRow {
        var state = row.reported.state
        state.isOn.toggle()
        return DeviceRow(
            device: row.device, number: number,
            reported: DeviceState(
                state: state, version: row.reported.version.next, incarnation: row.reported.incarnation),
            epoch: row.epoch, lastCommandNumber: row.lastCommandNumber.next, isConnected: true)
    }
}
