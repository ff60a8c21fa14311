import ArgumentParser
import FleetProtocol

/// `fleet post`: the logbook of the account.
struct PostCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Read and write the account's logbook.",
        discussion: """
            Everybody of the account reads it, and everybody but viewers writes. The controller writes a \
            post itself when a node is lost, and when a request ended of which nobody can know what became. \
            The newest \(Limits.accountPosts) posts are kept.

            EXAMPLES
              fleet post list
              fleet post write "Filters cleaned" --device "Bedroom 7"
              fleet post show 12
              fleet post comment 12 "The one in the hall too."
              fleet post edit 12 --title "Filters cleaned, fan replaced"
            """,
        subcommands: [
            PostListCommand.self, PostShowCommand.self, PostWriteCommand.self, PostCommentCommand.self,
            PostEditCommand.self, PostRemoveCommand.self,
        ])
}
