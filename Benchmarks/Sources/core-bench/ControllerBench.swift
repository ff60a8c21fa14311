import ControllerCore
import FleetProtocol
import Stepping

/// A controller and a device that carries every command out at once: no bytes, no sockets.
struct ControllerBench {
    private static let devices = 1_000
    private static let start = Moment(
        monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))

    private let client = ConnectionID(high: 1, low: 1)
    private let node = ConnectionID(high: 1, low: 2)
    private let digest: TokenDigest
    private var controller: Controller
    private var effects = Controller.Effects()
    private var rows: [DeviceRow]
    private var lastNumber = ChangeNumber(UInt64(Self.devices))

    /// Toggles one device after the other, each request with an id of its own.
    static func toggles(_ count: Int, measuring measure: (() throws -> Void) throws -> Void) throws {
        var bench = try ControllerBench()
        var generator = SeededGenerator(seed: 1)
        let ids = (0..<count).map { _ in RequestID(at: Self.start.wall, using: &generator) }
        try measure {
            for (turn, id) in ids.enumerated() { try bench.toggle(turn % Self.devices, as: id) }
        }
    }

    /// A controller that knows one user and the devices of one node.
    private init() throws {
        guard let account = AccountID("demo"), let email = Email("demo@sensibus.local"),
            let name = NodeName("node-1"), let digest = TokenDigest([UInt8](repeating: 1, count: 32))
        else { throw BenchFailure.setUp }
        self.digest = digest
        let session = Session(account: account, email: email, role: .owner, isOperator: true)
        let user = ControllerConfiguration.User(session: session, passwordHash: "")
        let open = ControllerConfiguration.OpenSession(
            digest: digest, email: email, openedAt: Self.start.wall)
        controller = Controller(
            ControllerConfiguration(epoch: Epoch(1), users: [user], sessions: [open], seed: 1),
            at: Self.start)
        rows = (0..<Self.devices).map { index in
            DeviceRow(
                device: DeviceID(fleetSeed: 1, index: UInt64(index)),
                number: ChangeNumber(UInt64(index + 1)),
                reported: DeviceState(
                    state: ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                    version: Version(1), incarnation: Incarnation(bits: 7)),
                epoch: Epoch(1), lastSequence: .zero, isConnected: true)
        }
        let table = rows.map { RowChunk.Row(device: $0, name: "\($0.device)") }
        let whole = RowChunk(
            since: .zero, cursor: 0, nextCursor: UInt32(Self.devices), isLast: true, rows: table)
        say(.hello(name, account: account, devices: UInt32(Self.devices)))
        say(.rows(whole))
    }

    private mutating func toggle(_ index: Int, as id: RequestID) throws {
        effects.removeAll()
        let command = Command(requestID: id, device: rows[index].device, kind: .toggle)
        let request = ClientRequest(correlation: 1, token: nil, body: .command(command))
        controller.step(.client(client, request, digest: digest), at: Self.start, into: &effects)
        controller.step(.kept(took: .zero), at: Self.start, into: &effects)
        lastNumber = lastNumber.next
        rows[index] = toggled(rows[index])
        let result = CommandResult(
            sequence: rows[index].lastSequence, requestID: id, verdict: .applied,
            judged: rows[index].reported, deviceUs: 1, row: rows[index])
        say(.result(result))
        guard !effects.replies.isEmpty else {
            throw BenchFailure.noAnswer
        }
    }

    private mutating func say(_ body: NodeMessage.Body) {
        let message = NodeMessage(bootID: BootID(bits: 1), lastNumber: lastNumber, body: body)
        controller.step(.node(node, message), at: Self.start, into: &effects)
    }

    private func toggled(_ row: DeviceRow) -> DeviceRow {
        var state = row.reported.state
        state.isOn.toggle()
        return DeviceRow(
            device: row.device, number: lastNumber,
            reported: DeviceState(
                state: state, version: row.reported.version.next, incarnation: row.reported.incarnation),
            epoch: row.epoch, lastSequence: row.lastSequence.next, isConnected: true)
    }
}
