import FleetProtocol
import Testing
import ZMTPFrames

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
