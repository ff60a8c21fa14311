import SwiftProtobuf

@testable import FleetProtocol

/// A batch, read and written as a frame.
struct Batch<Element: Conformant, Generated: SwiftProtobuf.Message>: Conformant {
    let messages: [Element]

    static func samples(_ given: Given) -> [(name: String, value: Batch)] {
        let samples = Element.samples(given)
        return [2, 3].map { count in
            let parts = samples.prefix(count)
            return (parts.map(\.name).joined(separator: "; "), Batch(messages: parts.map(\.value)))
        }
    }

    var wireBytes: [UInt8] {
        var writer = FrameWriter()
        for message in messages {
            precondition(writer.append(message.wireBytes) == nil, "the messages are a batch")
        }
        return writer.finish() ?? []
    }
}

extension Batch {
    init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
        var (messages, problem): ([Element], WireError?) = ([], nil)
        let frame = ReceivedFrame(Array(bytes[range]))
        frame.forEach { place throws(WireError) in
            messages.append(try Element(wireBytes: frame.bytes, in: place))
        } refuse: {
            problem = problem ?? $0
        }
        if let problem { throw problem }
        self.init(messages: messages)
    }
}

extension MalformedMessage {
    /// Batches.
    static func batches() -> [MalformedMessage] {
        let type = Batch<ClientRequest, Sensibus_V1_ClientRequestBatch>.self
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
