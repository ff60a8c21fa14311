/// A client's name for a change, from the header `Idempotency-Key`.
///
/// The same key asks for the same change again.
public struct IdempotencyKey: Hashable, Sendable {
    /// Bytes of a key at most.
    public static let bytesAtMost = 255

    /// The key as it came.
    public let text: String

    /// The key of a header's value.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` unless it has 1 to ``bytesAtMost`` visible ASCII characters.
    public init(_ text: String) throws(APIError) {
        guard 1...Self.bytesAtMost ~= text.utf8.count, text.utf8.allSatisfy({ 0x21...0x7e ~= $0 }) else {
            throw .badRequest(
                "Idempotency-Key invalid: 1 to \(Self.bytesAtMost) visible ASCII characters are allowed")
        }
        self.text = text
    }
}
