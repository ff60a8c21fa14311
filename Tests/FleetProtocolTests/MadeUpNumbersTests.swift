import FleetProtocol
import Stepping
import Testing

@Suite("Numbers that somebody made up")
struct MadeUpNumbersTests {
    private static let device = DeviceID(fleetSeed: 1, index: 1)
    private static let id = RequestID(high: 0x0190_a6e8_7c5b_7d2e, low: 0x9a41_3f5b_8c2d_1e07)

    private static func row(
        number: UInt64 = 1, version: UInt64 = 1, epoch: UInt64 = 1, last: UInt64 = 1
    ) -> DeviceRow {
        DeviceRow(
            device: device, number: ChangeNumber(number),
            reported: DeviceState(
                state: ACState(isOn: true, mode: .heat, targetCelsius: 20, fanLevel: .low),
                version: Version(version), incarnation: Incarnation(bits: .max)),
            epoch: Epoch(epoch), lastSequence: CommandSequence(last), isConnected: true)
    }

    private static func chunk(_ rows: [DeviceRow], since: UInt64 = 0) -> NodeMessage.Body {
        .rows(
            RowChunk(
                since: ChangeNumber(since), cursor: .max, nextCursor: .max, isLast: true,
                rows: rows.map { RowChunk.Row(device: $0, name: "n") }))
    }

    private static func result(_ row: DeviceRow, sequence: UInt64 = 1, version: UInt64 = 1) -> CommandResult {
        CommandResult(
            sequence: CommandSequence(sequence), requestID: id, verdict: .applied,
            judged: DeviceState(
                state: row.reported.state, version: Version(version), incarnation: row.reported.incarnation),
            deviceUs: .max, row: row)
    }

    /// Everything that a node or a controller counts, at a value, each in a message of its own.
    private static func messages(_ value: UInt64) -> [any WireMessage] {
        let rows = [row(number: value), row(version: value), row(epoch: value), row(last: value)]
        let bodies =
            [.ping, chunk([row()], since: value), .result(result(row(), sequence: value))]
            + [.result(result(row(), version: value))] + rows.map { chunk([$0]) }
            + rows.map { NodeMessage.Body.result(result($0)) }
        let fromNode = bodies.map { body in
            NodeMessage(
                bootID: BootID(bits: .max), lastNumber: ChangeNumber(body == .ping ? value : 1), body: body)
        }
        let identity = CommandIdentity(
            device: device, incarnation: Incarnation(bits: .max), sequence: CommandSequence(value),
            requestID: id)
        let orders: [ControllerMessage.Body] = [
            .abort(identity), .pull(since: ChangeNumber(value), cursor: .max),
            .command(
                DeviceCommand(
                    identity: identity, change: ACStateChange(isOn: true), base: Version(value),
                    timeToLive: .seconds(1))),
        ]
        return fromNode + rows.map { Telemetry(bootID: BootID(bits: .max), rows: [$0]) }
            + orders.map { ControllerMessage(epoch: Epoch(1), body: $0) }
            + [ControllerMessage(epoch: Epoch(value), body: .pong(helloWanted: false))]
    }

    private static func decode<Message: WireMessage>(_ message: Message) throws(WireError) {
        _ = try Message(wireBytes: message.wireBytes)
    }

    @Test(
        "are refused with the field's name above 2⁶², where nobody can count on",
        arguments: [
            Limits.largestOrdinal + 1, UInt64(Int64.max), UInt64.max,
        ])
    func tooLarge(value: UInt64) {
        for message in Self.messages(value) {
            let error = #expect(throws: WireError.self) { try Self.decode(message) }
            guard case .malformed(_, "at most 2⁶²") = error?.problem else {
                Issue.record("\(message): \(String(describing: error))")
                continue
            }
        }
    }

    @Test("are taken up to 2⁶²")
    func largest() throws {
        for message in Self.messages(Limits.largestOrdinal) { try Self.decode(message) }
    }

    @Test("do not make a chunk of more rows than one may have")
    func rows() throws {
        func message(_ count: Int) -> NodeMessage {
            let rows = Array(repeating: Self.row(), count: count)
            return NodeMessage(bootID: BootID(bits: 1), lastNumber: .zero, body: Self.chunk(rows))
        }
        try Self.decode(message(Limits.chunkRows))
        let error = #expect(throws: WireError.self) { try Self.decode(message(Limits.chunkRows + 1)) }
        #expect(error?.problem == .malformed(field: "rows", expected: "at most 400"))
    }
}
