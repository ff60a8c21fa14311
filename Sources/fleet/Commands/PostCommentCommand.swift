import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet post comment`: adds something to a post.
struct PostCommentCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "comment",
        abstract: "Add a comment to a post.",
        discussion: """
            A post has \(Limits.postComments) comments at most. It is kept before the command ends. Sent \
            again under the same request id, it is written once.

            EXAMPLES
              fleet post comment 12 "The one in the hall too."
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse)
    var post: PostNumber

    @Argument(help: "What there is to say, \(Limits.commentBytes) bytes at most.")
    var text: String

    @OptionGroup var options: WritingOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let comment = try await options.write(in: surroundings) { client, id in
            let draft = try CommentDraft(requestID: id, post: post, body: text)
            do {
                return try await client.write(draft)
            } catch FleetError.refused(.notFound) {
                throw CommandFailure.noPost(post)
            }
        }
        surroundings.print(
            options.json.isWanted ? comment.json.line : "the comment is on post \(comment.post)")
        return .done
    }
}
