import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Names of devices")
struct DeviceNameTests {
    private static let longest = String(repeating: "n", count: Limits.nameBytes)

    private func id(_ index: Int) -> DeviceID { DeviceID(fleetSeed: 1, index: UInt64(index)) }

    private func row(_ index: Int, _ name: String) -> RowChunk.Row {
        let device = DeviceRow(
            device: id(index), number: ChangeNumber(UInt64(index + 1)),
            reported: DeviceState(
                state: ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto),
                version: Version(1), incarnation: Incarnation(bits: 0xabc)),
            epoch: .zero, lastCommandNumber: .zero, isConnected: true)
        return RowChunk.Row(device: device, name: name)
    }

    private func send(
        _ body: NodeMessage.Body, _ rows: [RowChunk.Row], boot: UInt64, to bench: Bench
    ) {
        let number = rows.map(\.device.number).max() ?? .zero
        bench.step(
            .node(
                ConnectionID(high: 9, low: boot),
                NodeMessage(bootID: BootID(bits: boot), lastNumber: number, body: body)))
    }

    private func answerPull(_ rows: [RowChunk.Row], boot: UInt64, to bench: Bench) {
        let connection = ConnectionID(high: 9, low: boot)
        let chunk = bench.chunk(nextCursor: UInt32(rows.count), on: connection, rows: rows)
        send(.rows(chunk), rows, boot: boot, to: bench)
    }

    /// A node sends a hello, again when asked, and answers the pull.
    private func come(
        _ name: String, _ rows: [RowChunk.Row], boot: UInt64, host: String = "", to bench: Bench
    ) throws {
        let hello = NodeHello(
            node: try #require(NodeName(name)), account: try #require(AccountID("demo")),
            devices: UInt32(rows.count), host: host)
        let connection = ConnectionID(high: 9, low: boot)
        for _ in 1...2 { send(.hello(hello), rows, boot: boot, to: bench) }
        let isAsked = bench.sent(to: connection).contains {
            if case .pull(_, .max, _) = $0 { true } else { false }
        }
        if isAsked {
            // The former boot is dead, and does not answer.
            bench.pass(Limits.bootTimeout)
            send(.hello(hello), rows, boot: boot, to: bench)
        }
        answerPull(rows, boot: boot, to: bench)
    }

    /// The names of devices in the order of the snapshot.
    private func names(_ bench: Bench) -> [String] {
        guard case .snapshot(let chunk)? = bench.replies(to: bench.ask(.snapshot(cursor: 0))).first else {
            return []
        }
        return chunk.rows.map(\.name)
    }

    @Test(
        "a name from a node is shown as renames allow, and otherwise the ID of the device",
        arguments: [
            ("Attic", "Attic"), (longest, longest), ("\u{1b}]0;x\u{7}", "\u{fffd}]0;x\u{fffd}"),
            ("\u{202e}cittA", "cittA"), ("A\u{200b}ttic", "Attic"), (" Attic ", "Attic"), ("", nil),
            ("\u{200b}", nil), (String(repeating: "\u{7}", count: Limits.nameBytes), nil),
        ] as [(String, String?)])
    func cleaned(wanted: String, shown: String?) throws {
        let bench = try Bench()
        try come("node-1", [row(0, wanted)], boot: 1, to: bench)
        #expect(names(bench) == [shown ?? id(0).description])
        let refusals = bench.controller.drainSuspicions().map(\.refusal)
        #expect(refusals.contains(.refusedName) == (wanted != shown))
    }

    @Test("a name that a device has is refused to another one, in any case, until it is free")
    func unique() throws {
        let bench = try Bench()
        let second = [row(1, "aTTIC"), row(2, "Loft")]
        try come("node-1", [row(0, "Attic")], boot: 1, to: bench)
        try come("node-2", second, boot: 2, to: bench)
        #expect(names(bench) == ["Attic", id(1).description, "Loft"])
        send(.ping(), second, boot: 2, to: bench)
        #expect(bench.sent(to: ConnectionID(high: 9, low: 2)).last == .pong(helloWanted: false))

        try come("node-1", [row(0, "Cellar")], boot: 3, to: bench)
        send(.ping(), second, boot: 2, to: bench)
        answerPull(second, boot: 2, to: bench)
        #expect(names(bench) == ["Cellar", "aTTIC", "Loft"])
        // The node that returns does not get back the name that it gave up.
        try come("node-1", [row(0, "Attic")], boot: 4, to: bench)
        #expect(names(bench) == [id(0).description, "aTTIC", "Loft"])
    }

    @Test("a name with emoji is stored whole, and refused to another device that a terminal shows alike")
    func emoji() throws {
        let bench = try Bench()
        try come("node-1", [row(0, "Kids ❤\u{fe0f}"), row(1, "kids ❤")], boot: 1, to: bench)
        #expect(
            names(bench).map { Array($0.utf8) }
                == ["Kids ❤\u{fe0f}", id(1).description].map { Array($0.utf8) })
    }

    @Test("devices of one node exchange their names")
    func exchanged() throws {
        let bench = try Bench()
        try come("node-1", [row(0, "Attic"), row(1, "Loft")], boot: 1, to: bench)
        let exchanged = [row(0, "Loft"), row(1, "Attic")]
        try come("node-1", exchanged, boot: 2, to: bench)
        send(.ping(), exchanged, boot: 2, to: bench)
        answerPull(exchanged, boot: 2, to: bench)
        #expect(names(bench) == ["Loft", "Attic"])
    }

    @Test("a machine's name and a group with characters that a terminal obeys are not shown")
    func host() throws {
        let bench = try Bench()
        try come("node-1", [row(0, "Attic")], boot: 1, host: "\u{1b}[2J", to: bench)
        #expect(bench.controller.engine.directory.nodes.map(\.host) == [""])
        try come("node-1", [row(0, "Attic")], boot: 2, host: "rack-7", to: bench)
        #expect(bench.controller.engine.directory.nodes.map(\.host) == ["rack-7"])
    }
}
