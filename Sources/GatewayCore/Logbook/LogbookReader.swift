public import FleetProtocol
import Wording

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

/// Which posts a query wants: a page of a length, as json-server has it.
public struct LogbookPage: Hashable, Sendable {
    /// Posts of a page where the query does not say: as many as jsonplaceholder has altogether.
    public static let usualLimit = 100
    /// Posts of a page at most.
    public static let limitAtMost = 500

    /// How many are passed over, the newest first.
    public let skip: Int
    /// How many follow at most.
    public let limit: Int
    /// Only those of that author; nil: everybody's.
    public let author: AuthorNumber?

    /// The page that `_page` (from 1), `_limit` and `userId` say.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` for what is no such number.
    public init(_ query: FormFields) throws(APIError) {
        limit = try Self.number("_limit", in: query, 1...Self.limitAtMost) ?? Self.usualLimit
        skip = limit * ((try Self.number("_page", in: query, 1...1_000_000) ?? 1) - 1)
        author = try Self.number("userId", in: query, 0...Int(UInt32.max)).map { AuthorNumber(UInt64($0)) }
    }

    /// The post that `postId` names.
    ///
    /// - Throws: ``APIError/badRequest(_:)`` where it names none.
    public static func post(_ query: FormFields) throws(APIError) -> PostNumber {
        guard let number = try number("postId", in: query, 0...Int(Limits.largestOrdinal)) else {
            throw .badRequest("postId has to be there: comments are read post by post")
        }
        return PostNumber(UInt64(number))
    }

    private static func number(
        _ name: String, in query: FormFields, _ allowed: ClosedRange<Int>
    ) throws(APIError) -> Int? {
        guard let text = query[name] else { return nil }
        guard let number = LogbookRoute.number(text).map({ Int($0) }), allowed.contains(number) else {
            throw .badRequest("\(name) has to be a number of \(allowed.lowerBound) to \(allowed.upperBound)")
        }
        return number
    }
}

/// What a path names that jsonplaceholder has too, with or without a slash at its end.
public enum LogbookRoute: Hashable, Sendable {
    /// All posts.
    case posts
    /// One of them.
    case post(PostNumber)
    /// The comments on one of them.
    case comments(on: PostNumber)
    /// Comments; the query or the body says on what.
    case anyComments
    /// Everybody who has written.
    case users
    /// One of them.
    case user(AuthorNumber)

    /// What a path names; nil where it names nothing.
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

    /// What can be done to it; to HEAD it is as to GET.
    public var methods: [APIRequest.Method] {
        switch self {
        case .posts, .comments, .anyComments: [.get, .post]
        case .post, .users, .user: [.get]
        }
    }

    /// What is not there where the controller knows of no such thing.
    public var absence: APIError {
        switch self {
        case .posts: .noSuchPod
        case .post, .comments, .anyComments: .noSuchPost
        case .users, .user: .noSuchUser
        }
    }

    /// The number that a text of digits spells, up to the largest there can be.
    static func number(_ text: String) -> UInt64? {
        guard text.utf8.allSatisfy({ (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) }),
            let number = UInt64(text), number <= Limits.largestOrdinal
        else { return nil }
        return number
    }
}

/// Answers as jsonplaceholder gives them: the resource itself, and no envelope.
extension APIAnswer {
    /// Posts, and how many there are altogether.
    public static func posts(_ posts: [Post], total: Int) -> APIAnswer {
        APIAnswer(bare: .array(posts.map(\.json)), total: total)
    }

    /// One post.
    public static func post(_ post: Post) -> APIAnswer { APIAnswer(bare: post.json) }

    /// A post that was written.
    public static func written(_ post: Post) -> APIAnswer { APIAnswer(status: 201, bare: post.json) }

    /// Comments.
    public static func comments(_ comments: [Comment]) -> APIAnswer {
        APIAnswer(bare: .array(comments.map(\.json)), total: comments.count)
    }

    /// A comment that was written.
    public static func written(_ comment: Comment) -> APIAnswer {
        APIAnswer(status: 201, bare: comment.json)
    }

    /// Everybody who has written, the controller first.
    public static func users(_ authors: [Author]) -> APIAnswer {
        let all = [.controller] + authors
        return APIAnswer(bare: .array(all.map(\.json)), total: all.count)
    }

    /// The one of that number among them.
    ///
    /// - Throws: ``APIError/noSuchUser``.
    public static func user(_ number: AuthorNumber, among authors: [Author]) throws(APIError) -> APIAnswer {
        guard let author = ([.controller] + authors).first(where: { $0.number == number }) else {
            throw .noSuchUser
        }
        return APIAnswer(bare: author.json)
    }

    private init(status: Int = 200, bare value: JSONValue, total: Int? = nil) {
        var bytes: [UInt8] = []
        value.append(to: &bytes)
        self.init(status: status, .json, total: total, body: bytes)
    }
}
