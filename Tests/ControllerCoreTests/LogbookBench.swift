import FleetProtocol
import TestSupport
import Testing

@testable import ControllerCore

extension Bench {
    func draft(
        _ title: String = "Leak", body: String = "in the hall", id: RequestID? = nil,
        about subject: PostSubject? = nil
    ) throws -> PostDraft {
        try PostDraft(requestID: id ?? newID(), title: title, body: body, subject: subject)
    }

    @discardableResult
    func write(_ title: String = "Leak", token: TokenDigest? = Bench.token) throws -> Post {
        try write(try draft(title), token: token)
    }

    @discardableResult
    func write(_ draft: PostDraft, token: TokenDigest? = Bench.token) throws -> Post {
        guard case .post(let post) = try answer(to: LogbookRequest.addPost(draft), token: token) else {
            throw Refused(refusal: nil)
        }
        return post
    }

    /// The request for a comment on a post.
    func comment(on post: PostNumber, _ body: String = "me too") throws -> LogbookRequest {
        .addComment(try CommentDraft(requestID: newID(), post: post, body: body))
    }

    func posts(_ pull: PostPull = PostPull(), token: TokenDigest? = Bench.token) throws -> PostChunk {
        guard case .posts(let chunk) = try answer(to: LogbookRequest.posts(pull), token: token) else {
            throw Refused(refusal: nil)
        }
        return chunk
    }
}
