public import FleetProtocol

/// What somebody wants written, out of a body as jsonplaceholder takes it.
///
/// Who writes is who asks: a body's `userId`, `id`, `name` and `email` are passed over. With `requestId`, a
/// UUID of version 7, it is written once however often it is sent.
public struct LogbookReader: Sendable {
    /// Bytes in a body at most: the longest text, were each byte of it escaped.
    public static let bodyBytes = 64 * 1_024

    private let members: [String: JSONInput]
    private let newID: RequestID?

    /// A reader of a body.
    ///
    /// - Parameter newID: The identity of what names none; nil: it has to name one.
    /// - Throws: ``APIError/badRequest(_:)`` where it is no JSON object, and ``APIError/tooLarge``.
    public init(_ body: [UInt8], newID: RequestID?) throws(APIError) {
        members = try JSONInput.object(body, atMost: Self.bodyBytes)
        self.newID = newID
    }

    /// The post: `title`, `body` where there is more to say, and `device` or `site` where it is about one.
    ///
    /// - Throws: ``APIError/badRequest(_:)``.
    public func post() throws(APIError) -> PostDraft {
        let (id, title) = (try requestID(), try text("title") ?? "")
        let (body, subject) = (try text("body") ?? "", try subject())
        do throws(LogbookTextError) {
            return try PostDraft(requestID: id, title: title, body: body, subject: subject)
        } catch {
            throw .badRequest(error.description)
        }
    }

    /// The comment: `body`; and `postId` where the path does not say on what.
    ///
    /// - Throws: ``APIError/badRequest(_:)``.
    public func comment(on post: PostNumber?) throws(APIError) -> CommentDraft {
        let id = try requestID()
        guard
            let number = post
                ?? members["postId"]?.number.flatMap({ UInt64(exactly: $0) })
                .map({ PostNumber($0) }), number.value <= Limits.largestOrdinal
        else { throw .badRequest("postId has to be the number of a post") }
        let body = try text("body") ?? ""
        do throws(LogbookTextError) {
            return try CommentDraft(requestID: id, post: number, body: body)
        } catch {
            throw .badRequest(error.description)
        }
    }

    private func subject() throws(APIError) -> PostSubject? {
        switch (try text("device"), try text("site")) {
        case (nil, nil): return nil
        case (let device?, nil):
            guard let id = DeviceID(device) else { throw .noSuchPod }
            return .device(id, name: "")
        case (nil, let site?): return .site(site)
        case (_?, _?): throw .badRequest("a post is about a device or about a site: name one of them")
        }
    }

    private func requestID() throws(APIError) -> RequestID {
        let text = try text("requestId")
        if text == nil, let newID { return newID }
        guard let text, let id = RequestID(text), id.isVersion7 else {
            throw .badRequest("requestId has to be a UUID of version 7")
        }
        return id
    }

    /// A text; nil where there is none, or null.
    private func text(_ name: String) throws(APIError) -> String? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let text = value.text else { throw .badRequest("\(name) has to be a text") }
        return text
    }
}
