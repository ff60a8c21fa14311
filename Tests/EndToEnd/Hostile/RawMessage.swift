/// A protobuf message written field by field, so that it can have contents that the product never sends.
struct RawMessage {
    private(set) var bytes: [UInt8] = []

    /// A message of that version of the contract.
    static func version(_ version: UInt64) -> RawMessage {
        RawMessage().varint(1, version)
    }

    func varint(_ field: UInt64, _ value: UInt64) -> RawMessage {
        appending(Self.encoded(field << 3) + Self.encoded(value))
    }

    func fixed64(_ field: UInt64, _ value: UInt64) -> RawMessage {
        appending(Self.encoded(field << 3 | 1) + (0..<8).map { UInt8(truncatingIfNeeded: value >> (8 * $0)) })
    }

    func bytes(_ field: UInt64, _ content: [UInt8]) -> RawMessage {
        appending(Self.encoded(field << 3 | 2) + Self.encoded(UInt64(content.count)) + content)
    }

    func text(_ field: UInt64, _ text: String) -> RawMessage {
        bytes(field, Array(text.utf8))
    }

    private func appending(_ more: [UInt8]) -> RawMessage {
        RawMessage(bytes: bytes + more)
    }

    private static func encoded(_ value: UInt64) -> [UInt8] {
        var (rest, bytes) = (value, [UInt8]())
        while rest >= 0x80 {
            bytes.append(UInt8(rest & 0x7f) | 0x80)
            rest >>= 7
        }
        return bytes + [UInt8(rest)]
    }
}
