extension Comment {
    /// The upper bound of its size in a chunk: 100 bytes for numbers and framing, and its texts.
    public var bytesAtMost: Int { 100 + (author.email?.address.utf8.count ?? 0) + body.utf8.count }
}

/// A request to write a comment.
public struct CommentDraft: Hashable, Sendable {
    /// The request ID (idempotency key), so that retries write one comment only.
    public let requestID: RequestID
    /// The post to comment.
    public let post: PostNumber
    /// The body: 1 to ``Limits/commentBytes`` bytes with a visible character.
    public let body: String

    /// A draft with the given values.
    ///
    /// - Throws: ``LogbookTextError``.
    public init(requestID: RequestID, post: PostNumber, body: String) throws(LogbookTextError) {
        (self.requestID, self.post) = (requestID, post)
        self.body = try LogbookText.lines(body, of: "body", bytes: Limits.commentBytes)
        guard LogbookText.hasVisible(body) else { throw .blank(field: "body") }
    }

    /// Returns whether a comment has the post and the body of this request.
    public func isWritten(as comment: Comment) -> Bool { post == comment.post && body == comment.body }
}

/// The reason why a text is not allowed in a logbook.
public enum LogbookTextError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The text has no visible character.
    case blank(field: String)
    /// The text has more bytes than the limit.
    case tooLong(field: String, limit: Int)
    /// The text has a control character that is not allowed in the field.
    case control(field: String)

    /// The field and the allowed values; the description never includes the user's text.
    public var description: String {
        switch self {
        case .blank(let field): "\(field): it has no visible character; enter a text"
        case .tooLong(let field, let limit): "\(field): at most \(limit) bytes of UTF-8 are allowed"
        case .control(let field):
            "\(field): control characters are not allowed, and line breaks and tabs in bodies alone"
        }
    }
}

enum LogbookText {
    static func line(_ text: String, of field: String, bytes: Int) throws(LogbookTextError) -> String {
        guard text.utf8.count <= bytes else { throw .tooLong(field: field, limit: bytes) }
        guard !text.unicodeScalars.contains(where: isControl) else { throw .control(field: field) }
        guard hasVisible(text) else { throw .blank(field: field) }
        return text
    }

    /// Returns the text if its control characters are line breaks and tabs only.
    static func lines(_ text: String, of field: String, bytes: Int) throws(LogbookTextError) -> String {
        guard text.utf8.count <= bytes else { throw .tooLong(field: field, limit: bytes) }
        let allowed = "\n\r\t".unicodeScalars
        guard !text.unicodeScalars.contains(where: { isControl($0) && !allowed.contains($0) }) else {
            throw .control(field: field)
        }
        return text
    }

    static func hasVisible(_ text: String) -> Bool {
        text.unicodeScalars.contains { scalar in
            !scalar.properties.isWhitespace && !scalar.properties.isDefaultIgnorableCodePoint
                && !isControl(scalar)
        }
    }

    /// Whether a scalar is of the general category Cc.
    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.value < 0x20 || (0x7f...0x9f).contains(scalar.value)
    }
}
