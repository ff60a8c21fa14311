import FleetProtocol

/// A request about the logbook of an account.
enum LogbookRequest: Sendable {
    case posts(PostPull)
    case post(PostNumber)
    case comments(PostNumber, after: CommentNumber)
    case authors(after: AuthorNumber)
    case addPost(PostDraft)
    case addComment(CommentDraft)
    case editPost(PostEdit)
    case removePost(PostNumber)
}
