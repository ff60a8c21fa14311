import ConformanceSupport
import FleetProtocol

extension MalformedMessage {
    /// Batches.
    static func batches() -> [MalformedMessage] {
        let type = Batch<ClientRequest>.self
        return [
            bytes(
                type, "65 messages", Array(repeatElement([0x4a, 0x00], count: 65).joined()),
                .wrong("batch", "at most 64 messages")),
            bytes(
                type, "65,537 bytes", [0x4a, 0x00], zeros: 65_535, .tooLong(bytes: 65_537, limit: 65_536)),
            bytes(type, "a truncated message", [0x4a, 0x03, 0x08, 0x01], .notDecodable),
            bytes(
                type, "a message without a body", [0x4a, 0x04, 0x08, 0x01, 0x10, 0x2a],
                .absent("body: a request of a kind that this version knows"), correlation: 42),
            bytes(type, "a batch within a batch", [0x4a, 0x04, 0x4a, 0x02, 0x08, 0x01], .version(0)),
        ]
    }
}
