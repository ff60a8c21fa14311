public import FleetProtocol
import UserText

/// Decodes posts and comments from request bodies in jsonplaceholder's form. The author is the authenticated
/// user: a body's `userId`, `id`, `name` and `email` are ignored. The member `requestId`, a UUID of version
/// 7, is the idempotency key.
public struct LogbookReader: Sendable {
    /// The maximum size of a body in bytes: the longest text with each of its bytes escaped.
    public static let bodyBytes = 64 * 1_024

    private let members: [String: JSONTree]
    private let newID: RequestID?

    /// Decodes a body as a JSON object; without `newID`, the member `requestId` is required.
    public init(_ body: [UInt8], newID: RequestID?) throws(APIError) {
        members = try JSONTree.object(body, atMost: Self.bodyBytes)
        self.newID = newID
    }

    /// Decodes a post: `title`, and optionally `body` and either `device` or `site`.
    public func post() throws(APIError) -> PostDraft {
        let (id, title) = (try requestID(), try text("title") ?? "")
        let (body, subject) = (try text("body") ?? "", try subject())
        do throws(LogbookTextError) {
            return try PostDraft(requestID: id, title: title, body: body, subject: subject)
        } catch {
            throw .badRequest(error.description)
        }
    }

    /// Decodes a comment: `body`, and `postId` unless the path names the post.
    public func comment(on post: PostNumber?) throws(APIError) -> CommentDraft {
        let id = try requestID()
        guard
            let number = post
                ?? members["postId"]?.givenNumber.flatMap({ UInt64(exactly: $0) })
                .map({ PostNumber($0) }), number.value <= Limits.largestOrdinal
        else { throw .badRequest("postId must be the number of a post") }
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
        case (_?, _?): throw .badRequest("give device or site, not both")
        }
    }

    private func requestID() throws(APIError) -> RequestID {
        let text = try text("requestId")
        if text == nil, let newID { return newID }
        guard let text, let id = RequestID(text), id.isVersion7 else {
            throw .badRequest("requestId must be a UUID of version 7")
        }
        return id
    }

    private func text(_ name: String) throws(APIError) -> String? {
        guard let value = members[name], !value.isNull else { return nil }
        guard let text = value.text else { throw .badRequest("\(name) must be a string") }
        return text
    }
}

/// The page of posts that a query requests, with json-server's parameters.
public struct LogbookPage: Hashable, Sendable {
    /// The default number of posts on a page: as many as jsonplaceholder has in total.
    static let usualLimit = 100
    static let limitAtMost = 500

    /// The number of posts to skip, the newest first.
    public let skip: Int
    public let limit: Int
    public let author: AuthorNumber?

    /// Parses the parameters `_page` (from 1), `_limit` and `userId`.
    public init(_ query: FormFields) throws(APIError) {
        limit = try query.number("_limit", in: 1...Self.limitAtMost) ?? Self.usualLimit
        skip = limit * ((try query.number("_page", in: 1...1_000_000) ?? 1) - 1)
        author = try query.number("userId", in: 0...Int(UInt32.max)).map { AuthorNumber(UInt64($0)) }
    }

    /// Returns the post number in the parameter `postId`.
    public static func post(_ query: FormFields) throws(APIError) -> PostNumber {
        guard let number = try query.number("postId", in: 0...Int(Limits.largestOrdinal)) else {
            throw .badRequest("postId is missing: comments are listed by post")
        }
        return PostNumber(UInt64(number))
    }
}

/// A resource of jsonplaceholder's API; its path may end with a slash.
public enum LogbookRoute: Hashable, Sendable {
    case posts
    case post(PostNumber)
    case comments(on: PostNumber)
    /// Comments on the post that the query or the body names.
    case anyComments
    case users
    case user(AuthorNumber)

    public init?(path: String) {
        let parts = path.split(separator: "/", maxSplits: 4).map(String.init)
        let number = parts.count > 1 ? Self.number(parts[1]) : nil
        switch (parts.first, parts.count, number) {
        case ("posts", 1, _): self = .posts
        case ("posts", 2, let number?): self = .post(PostNumber(number))
        case ("posts", 3, let number?) where parts[2] == "comments": self = .comments(on: PostNumber(number))
        case ("comments", 1, _): self = .anyComments
        case ("users", 1, _): self = .users
        case ("users", 2, let number?): self = .user(AuthorNumber(number))
        default: return nil
        }
    }

    /// The methods that the resource allows; HEAD is allowed where GET is.
    public var methods: [APIRequest.Method] {
        switch self {
        case .posts, .comments, .anyComments: [.get, .post]
        case .post, .users, .user: [.get]
        }
    }

    /// The error for a resource that the controller reports as not found.
    public var absence: APIError {
        switch self {
        case .posts: .noSuchPod
        case .post, .comments, .anyComments: .noSuchPost
        case .users, .user: .noSuchUser
        }
    }

    /// Parses a number of ASCII digits; nil for other texts, and above `Limits.largestOrdinal`.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.allSatisfy(\.isDigit),
            let number = UInt64(text), number <= Limits.largestOrdinal
        else { return nil }
        return number
    }
}

/// Answers in jsonplaceholder's form: the resource itself, without an envelope.
extension APIResponse {
    /// A page of posts, with the total number of posts as a header.
    public static func posts(_ posts: [Post], total: Int) -> APIResponse {
        APIResponse(total: total, bare: posts.map(\.json))
    }

    public static func post(_ post: Post) -> APIResponse { APIResponse(bare: post.json) }
    public static func written(_ post: Post) -> APIResponse { APIResponse(status: 201, bare: post.json) }

    public static func comments(_ comments: [Comment]) -> APIResponse {
        APIResponse(total: comments.count, bare: comments.map(\.json))
    }

    public static func written(_ comment: Comment) -> APIResponse {
        APIResponse(status: 201, bare: comment.json)
    }

    /// All authors, the controller first.
    public static func users(_ authors: [Author]) -> APIResponse {
        let all = [.controller] + authors
        return APIResponse(total: all.count, bare: all.map(\.json))
    }

    public static func user(_ number: AuthorNumber, among authors: [Author]) throws(APIError) -> APIResponse {
        guard let author = ([.controller] + authors).first(where: { $0.number == number }) else {
            throw .noSuchUser
        }
        return APIResponse(bare: author.json)
    }
}
