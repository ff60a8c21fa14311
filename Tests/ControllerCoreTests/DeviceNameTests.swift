import FleetProtocol
import Testing

@testable import ControllerCore

@Suite("Names of devices")
struct DeviceNameTests {
    private static let longest = String(repeating: "n", count: Limits.nameBytes)

    private let bench = Bench()

    private func id(_ index: Int) -> String { Bench.device(index).description }

    private func row(_ index: Int, _ name: String) -> RowChunk.Row {
        RowChunk.Row(device: .off(index), name: name)
    }

    /// The process pings with rows; returns the reply.
    private func ping(_ rows: [RowChunk.Row], number: UInt64) -> ControllerMessage.Body? {
        bench.rows = rows.map(\.device)
        bench.send(.ping(), boot: BootID(bits: number), on: Bench.connection(number))
        return bench.sent(to: Bench.connection(number)).last
    }

    /// The process pings, and sends its rows again.
    private func repeatRows(_ rows: [RowChunk.Row], number: UInt64) {
        _ = ping(rows, number: number)
        let connection = Bench.connection(number)
        let chunk = bench.chunk(nextCursor: UInt32(rows.count), on: connection, rows: rows)
        bench.send(.rows(chunk), boot: BootID(bits: number), on: connection)
    }

    /// The names of devices in the order of the snapshot.
    private var names: [String] { bench.snapshot()?.rows.map(\.name) ?? [] }

    @Test(
        "a name from a node is shown as renames allow, and otherwise the ID of the device",
        arguments: [
            ("Attic", "Attic"), (longest, longest), ("\u{1b}]0;x\u{7}", "\u{fffd}]0;x\u{fffd}"),
            ("\u{202e}cittA", "cittA"), ("A\u{200b}ttic", "Attic"), (" Attic ", "Attic"), ("", nil),
            ("\u{200b}", nil), (String(repeating: "\u{7}", count: Limits.nameBytes), nil),
        ] as [(String, String?)])
    func cleaned(wanted: String, shown: String?) {
        bench.join(with: [row(0, wanted)])
        #expect(names == [shown ?? id(0)])
        let refusals = bench.controller.drainSuspicions().map(\.refusal)
        #expect(refusals.contains(.refusedName) == (wanted != shown))
    }

    @Test("a name that a device has is refused to another one, in any case, until it is free")
    func unique() {
        let second = [row(1, "aTTIC"), row(2, "Loft")]
        bench.join(with: [row(0, "Attic")])
        bench.join("node-2", with: second, number: 2)
        #expect(names == ["Attic", id(1), "Loft"])
        #expect(ping(second, number: 2) == .pong(helloWanted: false))
        bench.join(with: [row(0, "Cellar")], number: 3)
        repeatRows(second, number: 2)
        #expect(names == ["Cellar", "aTTIC", "Loft"])
        // The node that returns does not get back the name that it gave up.
        bench.join(with: [row(0, "Attic")], number: 4)
        #expect(names == [id(0), "aTTIC", "Loft"])
    }

    @Test("a name with emoji is stored whole, and refused to another device that a terminal shows alike")
    func emoji() {
        bench.join(with: [row(0, "Kids ❤\u{fe0f}"), row(1, "kids ❤")])
        #expect(names.map { Array($0.utf8) } == ["Kids ❤\u{fe0f}", id(1)].map { Array($0.utf8) })
    }

    @Test("devices of one node exchange their names")
    func exchanged() {
        bench.join(with: [row(0, "Attic"), row(1, "Loft")])
        let exchanged = [row(0, "Loft"), row(1, "Attic")]
        bench.join(with: exchanged, number: 2)
        repeatRows(exchanged, number: 2)
        #expect(names == ["Loft", "Attic"])
    }

    @Test("a machine's name and a group with characters that a terminal obeys are not shown")
    func host() {
        bench.join(with: [row(0, "Attic")], host: "\u{1b}[2J")
        #expect(bench.controller.engine.directory.nodes.map(\.host) == [""])
        bench.join(with: [row(0, "Attic")], host: "rack-7", number: 2)
        #expect(bench.controller.engine.directory.nodes.map(\.host) == ["rack-7"])
    }
}
