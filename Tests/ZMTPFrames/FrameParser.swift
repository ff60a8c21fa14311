/// Finds the frames in one direction of a ZMTP 3 connection (RFC 37), whatever its security mechanism.
///
/// Bytes of any other protocol pass as they come.
package struct FrameParser {
    /// Bytes that belong together.
    package struct Piece: Equatable {
        package enum Kind: Equatable {
            /// A part of the greeting, which the peers exchange step by step.
            case greeting
            case command
            /// A frame of a message; with CURVE each is a message of its own, since its flags are encrypted.
            case frame(hasMore: Bool)
            /// Bytes without known boundaries.
            case opaque
        }

        package let kind: Kind
        package let bytes: [UInt8]

        package init(kind: Kind, bytes: [UInt8]) {
            (self.kind, self.bytes) = (kind, bytes)
        }
    }

    private enum Phase {
        case greeting
        case frames
        case opaque
    }

    /// A longer frame is no frame of this product, whose messages have 64 KiB at most.
    package static let frameAtMost = 1 << 20
    private static let greetingBytes = 64

    private var phase = Phase.greeting
    private var greeting: [UInt8] = []
    /// The beginning of a frame.
    private var rest: [UInt8] = []

    package init() {}

    /// The mechanism of the connection, such as `CURVE`; nil until the greeting has it.
    package var mechanism: String? {
        guard greeting.count >= 32 else { return nil }
        return String(decoding: greeting[12..<32].prefix { $0 != 0 }, as: UTF8.self)
    }

    /// Returns the pieces that are complete with further bytes.
    package mutating func append(_ bytes: some Collection<UInt8>) -> [Piece] {
        var bytes = Array(bytes)[...]
        var pieces: [Piece] = []
        if phase == .greeting {
            let part = bytes.prefix(Self.greetingBytes - greeting.count)
            bytes = bytes.dropFirst(part.count)
            greeting += part
            if !part.isEmpty { pieces.append(Piece(kind: .greeting, bytes: Array(part))) }
            let isWhole = greeting.count == Self.greetingBytes
            phase = isGreeting ? (isWhole ? .frames : .greeting) : .opaque
        }
        if phase == .frames {
            appendFrames(bytes, to: &pieces)
        } else if !bytes.isEmpty {
            pieces.append(Piece(kind: .opaque, bytes: Array(bytes)))
        }
        return pieces
    }

    /// Whether the bytes so far are the beginning of a greeting: signature, and a version from 3 on.
    private var isGreeting: Bool {
        (greeting.isEmpty || greeting[0] == 0xff) && (greeting.count < 10 || greeting[9] == 0x7f)
            && (greeting.count < 11 || greeting[10] >= 3)
    }

    private mutating func appendFrames(_ bytes: ArraySlice<UInt8>, to pieces: inout [Piece]) {
        rest += bytes
        var start = 0
        while let length = frameLength(at: start) {
            guard length > 0 else {
                phase = .opaque
                pieces.append(Piece(kind: .opaque, bytes: Array(rest[start...])))
                return rest = []
            }
            guard rest.count - start >= length else { break }
            let flags = rest[start]
            let kind = flags & 4 != 0 ? Piece.Kind.command : .frame(hasMore: flags & 1 != 0)
            pieces.append(Piece(kind: kind, bytes: Array(rest[start..<start + length])))
            start += length
        }
        rest.removeFirst(start)
    }

    /// The bytes of the frame that begins at an index, with its header; nil if the header is incomplete, 0 if
    /// there cannot be such a frame.
    private func frameLength(at start: Int) -> Int? {
        guard start < rest.count else { return nil }
        let flags = rest[start]
        guard flags < 8 else { return 0 }
        let header = flags & 2 == 0 ? 2 : 9
        guard rest.count - start >= header else { return nil }
        let length = rest[(start + 1)..<(start + header)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
        return length <= UInt64(Self.frameAtMost) ? header + Int(length) : 0
    }
}
