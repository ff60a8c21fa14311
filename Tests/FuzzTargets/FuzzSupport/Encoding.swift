public import FleetProtocol

extension FuzzTarget {
    /// The ID of requests that carry a decoded value.
    public static let requestID = RequestID(high: 0x0170_0000_0b09_7a01, low: 0x8000_0000_0000_0001)

    /// Checks that a value's bytes decode to the same value, and are encoded in the same way again.
    public static func expectSameAfterEncoding<Message: WireMessage & Equatable>(_ message: Message) throws {
        let bytes = message.wireBytes
        let decoded: Message
        do throws(WireError) {
            decoded = try Message(wireBytes: bytes)
        } catch {
            throw Violation("\(Message.self) is refused after encoding: \(error)")
        }
        guard decoded == message, decoded.wireBytes == bytes else {
            throw Violation("\(Message.self) differs after encoding: \(message) became \(decoded)")
        }
    }
}
