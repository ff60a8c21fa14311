import FleetProtocol
import Testing
import ZMTPFrames

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

@Suite("Frames of a relayed connection")
struct FrameParserTests {
    private typealias Piece = FrameParser.Piece

    private static let greeting: [UInt8] =
        [0xff] + [UInt8](repeating: 0, count: 8) + [0x7f, 3, 1] + Array("CURVE".utf8)
        + [UInt8](repeating: 0, count: 47)
    private static let frames: [Piece] = [
        Piece(kind: .command, bytes: [4, 3, 1, 2, 3]),
        Piece(kind: .frame(hasMore: true), bytes: [1, 0]),
        Piece(kind: .frame(hasMore: false), bytes: [0, 1, 9]),
        Piece(
            kind: .frame(hasMore: false),
            bytes: [2, 0, 0, 0, 0, 0, 0, 1, 44] + [UInt8](repeating: 5, count: 300)),
        Piece(kind: .command, bytes: [6, 0, 0, 0, 0, 0, 0, 0, 1, 8]),
    ]

    @Test("frames are found, however the bytes arrive", arguments: [1, 2, 7, 64, 100, 10_000])
    func findsFrames(bytesAtOnce: Int) {
        #expect(Self.greeting.count == 64)
        let bytes = Self.greeting + Self.frames.flatMap(\.bytes)
        var parser = FrameParser()
        var pieces: [Piece] = []
        for start in stride(from: 0, to: bytes.count, by: bytesAtOnce) {
            pieces += parser.append(bytes[start..<min(bytes.count, start + bytesAtOnce)])
        }
        #expect(pieces.flatMap(\.bytes) == bytes)
        #expect(pieces.filter { $0.kind != .greeting } == Self.frames)
        #expect(pieces.filter { $0.kind == .greeting }.flatMap(\.bytes) == Self.greeting)
        #expect(parser.mechanism == "CURVE")
    }

    @Test("parts of the greeting are not held back")
    func greetingParts() {
        var parser = FrameParser()
        let part = Array(Self.greeting.prefix(10))
        #expect(parser.append(part) == [Piece(kind: .greeting, bytes: part)])
        #expect(parser.mechanism == nil)
    }

    @Test(
        "bytes of another protocol, and frames that cannot be, pass as they come",
        arguments: [
            Array("GET / HTTP/1.1\r\n".utf8), Self.greeting + [0x10, 2, 1, 1],
            Self.greeting + [2, 1, 0, 0, 0, 0, 0, 0, 0, 5],
        ])
    func opaque(bytes: [UInt8]) {
        var parser = FrameParser()
        let pieces = parser.append(bytes)
        #expect(pieces.flatMap(\.bytes) == bytes)
        let more = parser.append([1, 2, 3])
        #expect(more == [Piece(kind: .opaque, bytes: [1, 2, 3])])
    }

    @Test("random bytes keep their order and number", arguments: UInt64(1)...50)
    func random(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        let bytes = Self.greeting + (0..<2_000).map { _ in UInt8.random(in: 0...9, using: &generator) }
        var parser = FrameParser()
        var passed: [UInt8] = []
        var rest = bytes[...]
        while !rest.isEmpty {
            let part = rest.prefix(Int.random(in: 1...200, using: &generator))
            rest = rest.dropFirst(part.count)
            passed += parser.append(part).flatMap(\.bytes)
        }
        #expect(bytes.starts(with: passed))
        #expect(bytes.count - passed.count <= FrameParser.frameAtMost)
    }
}

@Suite("Links between the forwarder's ports")
struct LinkTests {
    private static func rule(_ text: String) throws -> LinkRule { try LinkRule(text.split(separator: " ")) }

    /// The numbers of 10,000 packets, one each 100 µs, in the order of their arrival, with their times in
    /// transit.
    private func run(_ rule: LinkRule, seed: UInt64 = 1) -> (order: [Int], transitUs: [Int64], Link.Counts) {
        var link = Link(seed: seed)
        link.rule = rule
        var (order, transit): ([Int], [Int64]) = ([], [])
        for number in 0..<10_100 {
            let now = Int64(number) * 100
            if number < 10_000 { link.send([UInt8(number & 255), UInt8(number >> 8)], atUs: now) }
            while let packet = link.receive(atUs: now) {
                let sent = Int(packet[0]) | Int(packet[1]) << 8
                order.append(sent)
                transit.append(now - Int64(sent) * 100)
            }
        }
        while let packet = link.receive(atUs: .max) { order.append(Int(packet[0]) | Int(packet[1]) << 8) }
        return (order, transit, link.counts)
    }

    @Test("without a rule every packet arrives at once")
    func plain() {
        let (order, transit, counts) = run(LinkRule())
        #expect(order == Array(0..<10_000))
        #expect(transit.allSatisfy { $0 == 0 })
        #expect(counts.forwarded == 10_000)
    }

    @Test("a delay with jitter keeps the order, and is within its bounds")
    func delay() throws {
        let (order, transit, _) = run(try Self.rule("delay 2 jitter 1"))
        #expect(order == Array(0..<10_000))
        #expect(transit.allSatisfy { 2_000...3_100 ~= $0 })
    }

    @Test("as many packets are lost, duplicated and reordered as the probabilities say")
    func probabilities() throws {
        let (order, _, counts) = run(try Self.rule("loss 0.1 duplicate 0.05 reorder 0.02 delay 1"))
        #expect(900...1_100 ~= counts.lost)
        #expect(380...520 ~= counts.duplicated)
        #expect(140...220 ~= counts.reordered)
        #expect(order.count == 10_000 - counts.lost + counts.duplicated)
        let overtaken = zip(order, order.dropFirst()).count { $0 > $1 }
        #expect(overtaken > 100)
    }

    @Test("the same seed does the same to the same packets")
    func deterministic() throws {
        let rule = try Self.rule("loss 0.1 duplicate 0.05 reorder 0.02 delay 1 jitter 3")
        #expect(run(rule, seed: 7).order == run(rule, seed: 7).order)
        #expect(run(rule, seed: 7).order != run(rule, seed: 8).order)
    }

    @Test("packets in transit are bounded")
    func bound() throws {
        var link = Link(seed: 1)
        link.rule = try Self.rule("delay 60000")
        for _ in 0..<Link.capacity + 5 { link.send([1], atUs: 0) }
        #expect(link.counts.overflowed == 5)
    }

    @Test(
        "wrong properties are refused",
        arguments: ["loss", "loss 2", "loss -1", "delay x", "delay 60001", "speed 1", "loss 0.1 delay"])
    func refused(text: String) {
        #expect(throws: Refused.self) { try Self.rule(text) }
    }

    @Test("a packet goes to the port that its destination's last byte names")
    func port() {
        let header: [UInt8] = [0x45] + [UInt8](repeating: 0, count: 15)
        #expect(Forwarder.port(of: header + [10, 77, 1, 3]) == 2)
        #expect(Forwarder.port(of: header + [10, 77, 0, 0]) == nil)
        #expect(Forwarder.port(of: [0x60] + [UInt8](repeating: 1, count: 60)) == nil)
        #expect(Forwarder.port(of: []) == nil)
    }
}
