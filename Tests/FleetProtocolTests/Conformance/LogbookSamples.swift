import Testing

@testable import FleetProtocol

extension Given {
    var author: Author { Author(number: AuthorNumber(1), email: email) }

    var post: Post {
        Post(
            number: PostNumber(12), author: author, writtenAt: at, title: "Leak in the hall",
            body: "Since Monday.\nWorse in heat.", subject: .device(device, name: "Bedroom 7"), comments: 2)
    }

    var editedPost: Post {
        Post(
            number: PostNumber(12), author: author, writtenAt: at, title: "Leak", body: "", editedAt: at)
    }

    var comment: FleetProtocol.Comment {
        FleetProtocol.Comment(
            number: CommentNumber(31), post: PostNumber(12), author: author, writtenAt: at, body: "Me too.")
    }

    /// A list of two active faults out of seven.
    var faultList: FaultList {
        FaultList(
            faults: [
                ActiveFault(
                    device: device, fault: .slow, remaining: .seconds(9), delay: .milliseconds(1_500)),
                ActiveFault(device: otherDevice, fault: .offline, remaining: .milliseconds(1)),
            ], total: 7)
    }

    /// New texts for a post: both, and one of them.
    func edits() -> [PostEdit] {
        let texts: [(title: String?, body: String?)] = [
            ("Leak in the hall", "Since Monday."), ("Leak", nil), (nil, ""),
        ]
        return texts.compactMap { try? PostEdit(number: PostNumber(12), title: $0.title, body: $0.body) }
    }

    /// Drafts about a device, about a site, and about neither.
    func drafts() -> [PostDraft] {
        let subjects: [PostSubject?] = [.device(device, name: ""), .site("Mühle"), nil]
        return subjects.compactMap {
            try? PostDraft(
                requestID: requestID, title: "Leak in the hall", body: "Since Monday.", subject: $0)
        }
    }
}

extension LogbookRequest: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let comment = try? CommentDraft(requestID: given.requestID, post: PostNumber(12), body: "Me too.")
        let names = ["about a device", "about a site", "without a subject"]
        return [
            ("the newest posts", .posts(PostPull())),
            (
                "posts of the controller, with an offset",
                .posts(PostPull(before: PostNumber(12), skip: 40, limit: 20, author: .zero))
            ),
            ("a post", .post(PostNumber(12))),
            ("comments", .comments(on: PostNumber(12), after: .zero)),
            ("comments, next chunk", .comments(on: PostNumber(12), after: CommentNumber(31))),
            ("authors", .authors(after: .zero)), ("authors, next chunk", .authors(after: AuthorNumber(200))),
        ] + zip(names, given.drafts()).map { ("write a post \($0)", .addPost($1)) }
            + (comment.map { [("write a comment", .addComment($0))] } ?? [])
            + zip(["its text", "its title", "its body"], given.edits()).map {
                ("edit a post: \($0)", .editPost($1))
            } + [("remove a post", .removePost(PostNumber(12)))]
    }
}

extension LogbookReply: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let own = Post(
            number: PostNumber(11), author: .controller, writtenAt: given.at, title: "Node node-1 is lost",
            body: "", subject: nil)
        let atSite = Post(
            number: PostNumber(10), author: given.author, writtenAt: given.at, title: "Painters", body: "",
            subject: .site("Mühle"))
        return [
            ("posts", .posts(PostChunk(posts: [given.post, own, atSite], total: 12, isLast: false))),
            ("no posts", .posts(PostChunk(posts: [], total: 0, isLast: true))),
            ("post", .post(given.post)), ("post, edited", .post(given.editedPost)),
            ("post removed", .postRemoved(PostNumber(12))),
            ("comments", .comments(CommentChunk(comments: [given.comment], isLast: false))),
            ("no comments", .comments(CommentChunk(comments: [], isLast: true))),
            ("comment", .comment(given.comment)),
            ("authors", .authors(AuthorChunk(authors: [given.author], isLast: true))),
        ]
    }
}

extension LogbookRecord: Conformant {
    static func samples(_ given: Given) -> [(name: String, value: Self)] {
        let own = Post(
            number: PostNumber(11), author: .controller, writtenAt: given.at, title: "Node node-1 is lost",
            body: "")
        let marks = LogbookMarks(
            lastPost: PostNumber(12), lastComment: CommentNumber(31), lastAuthor: AuthorNumber(2),
            horizon: given.at)
        return [
            ("a stored post", .post(given.post, requestID: given.requestID)),
            ("a stored post of the controller", .post(own, requestID: nil)),
            ("a stored comment", .comment(given.comment, requestID: given.requestID)),
            ("the marks of a logbook", .marks(marks)), ("the marks of a new logbook", .marks(LogbookMarks())),
        ]
    }
}
