public import FleetProtocol
import Wording

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
