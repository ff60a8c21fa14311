import FleetProtocol
import Testing

@testable import network_faults

@Suite("Flows of a relayed connection")
struct FlowTests {
    private static let greeting: [UInt8] =
        [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 0] + Array("NULL".utf8)
        + [UInt8](repeating: 0, count: 48)
    /// A message of two frames with that number.
    private static func message(_ number: UInt8) -> [UInt8] { [1, 0, 0, 2, number, number] }
    private static let command: [UInt8] = [4, 1, 7]

    /// A flow whose greeting has passed.
    private func flow(_ action: RelayAction, seed: UInt64 = 1) -> Flow {
        var flow = Flow(seed: seed)
        flow.take(Self.greeting, atUs: 0)
        _ = drain(&flow)
        flow.apply(action, atUs: 0)
        return flow
    }

    /// Everything that is written until a time, and the sizes of the writes.
    private func drain(_ flow: inout Flow, untilUs limit: Int64 = 0) -> (bytes: [UInt8], sizes: [Int]) {
        var (bytes, sizes): ([UInt8], [Int]) = ([], [])
        var now: Int64 = 0
        while now <= limit {
            flow.advance(toUs: now)
            while flow.isReady(atUs: now) {
                let chunk = flow.chunk()
                bytes += chunk
                sizes.append(chunk.count)
                flow.wrote(chunk.count, atUs: now)
            }
            now = max(now + 1, flow.nextUs ?? limit + 1)
        }
        return (bytes, sizes)
    }

    @Test("an incomplete frame waits, a complete one passes")
    func pass() {
        var flow = flow(.pass)
        flow.take([0, 3, 1, 2], atUs: 0)
        #expect(flow.isEmpty)
        flow.take([3], atUs: 0)
        #expect(drain(&flow).bytes == [0, 3, 1, 2, 3])
    }

    @Test("a stalled flow writes everything after the stall")
    func stall() {
        var flow = flow(.stall(forUs: 5_000))
        flow.take(Self.message(1), atUs: 0)
        #expect(drain(&flow, untilUs: 4_999).bytes.isEmpty)
        #expect(flow.nextUs == 5_000)
        #expect(drain(&flow, untilUs: 5_000).bytes == Self.message(1))
    }

    @Test("a truncated flow ends within a frame", arguments: UInt64(1)...20)
    func truncate(seed: UInt64) {
        var flow = flow(.truncate, seed: seed)
        flow.take(Self.command + Self.message(1) + Self.message(2), atUs: 0)
        #expect(flow.isCut && !flow.hasRoom)
        #expect(drain(&flow).bytes == Self.command + Self.message(1).prefix(1))
        #expect(flow.counts.truncated == 1)
    }

    @Test("split writes have one byte each, or a random number up to the bound", arguments: [1, 5])
    func split(bytesAtMost: Int) {
        var flow = flow(.split(bytesAtMost: bytesAtMost))
        let bytes = (0..<20).flatMap { Self.message($0) }
        flow.take(bytes, atUs: 0)
        let written = drain(&flow)
        #expect(written.bytes == bytes)
        #expect(Set(written.sizes).isSubset(of: Set(1...bytesAtMost)))
        #expect(Set(written.sizes).count >= min(bytesAtMost, 3))
    }

    @Test("messages are duplicated whole, and commands are not")
    func duplicate() {
        var flow = flow(.duplicate(1))
        flow.take(Self.command + Self.message(1) + Self.message(2), atUs: 0)
        let expected = Self.command + [1, 1, 2, 2].flatMap { Self.message($0) }
        #expect(drain(&flow).bytes == expected)
        #expect(flow.counts.duplicated == 2)
    }

    @Test("a message is overtaken by the next, or passes after a while")
    func reorder() {
        var flow = flow(.reorder(1))
        flow.take((1...5).flatMap { Self.message($0) }, atUs: 0)
        #expect(drain(&flow).bytes == [2, 1, 4, 3].flatMap { Self.message($0) })
        #expect(flow.counts.reordered == 2)
        #expect(drain(&flow, untilUs: 50_000).bytes == Self.message(5))
    }

    @Test("a slow flow writes as many bytes a second")
    func slow() {
        var flow = flow(.slow(bytesPerSecond: 1_000))
        flow.take((0..<250).flatMap { [0, 2, $0, $0] }, atUs: 0)
        #expect(990...1_020 ~= drain(&flow, untilUs: 1_000_000).bytes.count)
    }

    @Test("the end of an action loses nothing, in the middle of a message too", arguments: UInt64(1)...20)
    func change(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var flow = flow(.reorder(0.5), seed: seed)
        let bytes = (0..<100).flatMap { Self.message($0) }
        let cut = Int.random(in: 0..<bytes.count, using: &generator)
        flow.take(bytes[..<cut], atUs: 0)
        flow.apply(.pass, atUs: 0)
        flow.take(bytes[cut...], atUs: 0)
        #expect(drain(&flow).bytes.sorted() == bytes.sorted())
    }

    @Test(
        "commands are parsed",
        arguments: [
            ("pass", RelayAction.pass), ("stall 200 up", .stall(forUs: 200_000)),
            ("split 1", .split(bytesAtMost: 1)),
            ("duplicate 0.5 port 3", .duplicate(0.5)), ("slow 1000 both", .slow(bytesPerSecond: 1_000)),
            ("half-open down", .halfOpen), ("reset", .reset), ("truncate up", .truncate),
        ])
    func commands(text: String, action: RelayAction) throws {
        let command = try RelayCommand(text.split(separator: " "))
        #expect(command.action == action)
        #expect(command.port == (text.hasSuffix("port 3") ? 3 : nil))
        #expect((command.directions == [.up]) == text.hasSuffix(" up"))
    }

    @Test(
        "wrong commands are refused",
        arguments: ["", "stall", "pass 1", "split 0", "duplicate 2", "stall 1 sideways", "reset port"])
    func refused(text: String) {
        #expect(throws: Refused.self) { try RelayCommand(text.split(separator: " ")) }
    }
}
