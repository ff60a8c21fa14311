public import FleetProtocol

/// A batch, read and written as a frame.
public struct Batch<Element: WireMessage & Equatable>: WireMessage, Equatable {
    /// The messages, in order.
    public let messages: [Element]

    /// A batch of messages that fit into one frame.
    public init(messages: [Element]) { self.messages = messages }

    /// The bytes of the frame.
    public var wireBytes: [UInt8] {
        var writer = FrameWriter()
        for message in messages {
            precondition(writer.append(message.wireBytes) == nil, "the messages are a batch")
        }
        return writer.finish() ?? []
    }

    /// Decodes a frame.
    ///
    /// - Throws: The first error of the batch or of one of its messages.
    public init(wireBytes bytes: [UInt8], in range: Range<Int>) throws(WireError) {
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
