public import FleetProtocol

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
