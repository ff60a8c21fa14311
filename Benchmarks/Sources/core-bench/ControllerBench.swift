import ControllerCore
import FleetProtocol
import Stepping

/// A controller and a device that carries every command out at once: no bytes, no sockets.
enum ControllerBench {
    private static let devices = 1_000

    static func toggles(_ count: Int) throws -> () throws -> Void {
        guard let account = AccountID("demo"), let email = Email("demo@sensibus.local"),
            let node = NodeName("node-1"),
            let digest = TokenDigest([UInt8](repeating: 1, count: 32))
        else { throw BenchFailure.setUp }
        let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 1_800_000_000_000))
        let session = Session(account: account, email: email, role: .owner, isOperator: true)
        let user = ControllerConfiguration.User(session: session, passwordHash: "")
        let open = ControllerConfiguration.OpenSession(digest: digest, email: email, openedAt: start.wall)
        var controller = Controller(
            ControllerConfiguration(epoch: Epoch(1), users: [user], sessions: [open], seed: 1), at: start)
        let connection = ConnectionID(high: 1, low: 1)
        var effects: [Controller.Effect] = []
        var rows = (0..<devices).map { row($0, version: 1, isOn: false, number: UInt64($0 + 1), sequence: 0) }
        func say(_ body: NodeMessage.Body, _ number: UInt64) {
            let message = NodeMessage(bootID: BootID(bits: 1), lastNumber: ChangeNumber(number), body: body)
            controller.step(.node(connection, message), at: start, into: &effects)
        }
        say(.hello(node, account: account, devices: UInt32(devices)), UInt64(devices))
        let table = rows.map { RowChunk.Row(device: $0, name: "\($0.device)") }
        say(
            .rows(RowChunk(since: .zero, cursor: 0, nextCursor: UInt32(devices), isLast: true, rows: table)),
            UInt64(devices))
        var generator = SeededGenerator(seed: 1)
        let ids = (0..<count).map { _ in RequestID(at: start.wall, using: &generator) }
        return {
            var number = UInt64(devices)
            for (turn, id) in ids.enumerated() {
                let index = turn % devices
                effects.removeAll(keepingCapacity: true)
                let command = Command(requestID: id, device: rows[index].device, kind: .toggle)
                let request = ClientRequest(correlation: 1, token: nil, body: .command(command))
                controller.step(.client(connection, request, digest: digest), at: start, into: &effects)
                number += 1
                let before = rows[index]
                rows[index] = row(
                    index, version: before.reported.version.value + 1, isOn: !before.reported.state.isOn,
                    number: number,
                    sequence: before.lastSequence.value + 1)
                say(
                    .result(
                        CommandResult(
                            sequence: rows[index].lastSequence, requestID: id, verdict: .applied,
                            judged: rows[index].reported, deviceUs: 1, row: rows[index])), number)
                guard effects.contains(where: { if case .reply = $0 { true } else { false } }) else {
                    throw BenchFailure.noAnswer
                }
            }
        }
    }

    private static func row(
        _ index: Int, version: UInt64, isOn: Bool, number: UInt64, sequence: UInt64
    ) -> DeviceRow {
        DeviceRow(
            device: DeviceID(fleetSeed: 1, index: UInt64(index)), number: ChangeNumber(number),
            reported: DeviceState(
                state: ACState(isOn: isOn, mode: .cool, targetCelsius: 22, fanLevel: .auto),
                version: Version(version),
                incarnation: Incarnation(bits: 7)),
            epoch: Epoch(1), lastSequence: CommandSequence(sequence), isConnected: true)
    }
}

/// What keeps a benchmark from measuring anything.
enum BenchFailure: Error {
    case setUp, noAnswer
}
