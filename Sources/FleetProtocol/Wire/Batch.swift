/// A received frame: one message, or a batch of messages. A batch is a protobuf message whose only field,
/// number 9, is repeated: `ClientRequestBatch` and three others in `proto/`. Field 9 is reserved in their
/// messages, so a frame that begins with its key is a batch.
package struct ReceivedFrame: Sendable {
    fileprivate static let field = 9
    fileprivate static let key = UInt8(field << 3 | 2)

    package let bytes: [UInt8]

    package init(_ bytes: [UInt8]) { self.bytes = bytes }

    /// Whether the frame is a batch, possibly of one message.
    package var isBatch: Bool { bytes.first == Self.key }

    /// Calls a handler with the place of each message in ``bytes``, in order. `refuse` gets the error of a
    /// message, or of a batch that exceeds a bound or is undecodable.
    package func forEach(_ handle: (Range<Int>) throws(WireError) -> Void, refuse: (WireError) -> Void) {
        func decode(_ place: Range<Int>) {
            do throws(WireError) { try handle(place) } catch { refuse(error) }
        }
        guard isBatch else { return decode(0..<bytes.count) }
        do throws(WireError) { try places.forEach(decode) } catch { refuse(error) }
    }

    private var places: [Range<Int>] {
        get throws(WireError) {
            var fields = try FieldReader(message: bytes, in: 0..<bytes.count, limit: Limits.batchBytes)
            var places: [Range<Int>] = []
            places.reserveCapacity(Limits.batchMessages)
            while let field = try fields.next() {
                if field == Self.field { try fields.read(&places) }
                guard places.count <= Limits.batchMessages else {
                    throw .malformed("batch", "at most \(Limits.batchMessages) messages")
                }
            }
            return places
        }
    }
}

/// Joins encoded messages into frames: a batch of several messages, or a message alone.
package struct FrameWriter: Sendable {
    /// The most bytes before a message in a batch: the key and the length.
    private static let headerBytes = 4

    private var count = 0
    private var first: [UInt8] = []
    /// The batch; empty until there are two messages.
    private var batch: [UInt8] = []

    package init() {}

    /// Adds a message; returns the frame of the earlier ones if it has no space for this one.
    package mutating func append(_ message: [UInt8]) -> [UInt8]? {
        let earlier = count == 1 ? first.count + Self.headerBytes : batch.count
        let isFull =
            count == Limits.batchMessages
            || earlier + Self.headerBytes + message.count > Limits.batchBytes
        let full = isFull ? finish() : nil
        if count == 0 {
            first = message
        } else {
            if count == 1 { put(first) }
            put(message)
        }
        count += 1
        return full
    }

    /// Removes all messages, and returns their frame; nil without messages.
    package mutating func finish() -> [UInt8]? {
        guard count > 0 else { return nil }
        defer { self = FrameWriter() }
        return count == 1 ? first : batch
    }

    private mutating func put(_ message: [UInt8]) {
        batch.append(ReceivedFrame.key)
        var length = message.count
        while length >= 0x80 {
            batch.append(UInt8(length & 0x7f) | 0x80)
            length >>= 7
        }
        batch.append(UInt8(length))
        batch += message
    }
}
