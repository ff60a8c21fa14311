import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet post show`: shows a post with its comments.
struct PostShowCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "show",
        abstract: "Show a post with its comments.",
        discussion: """
            For scripts there is a line for the post, and one for each comment.

            EXAMPLES
              fleet post show 12
              fleet post show 12 --json | jq -r .body
            """)

    @Argument(help: "Its number.", transform: PostNumber.parse)
    var post: PostNumber

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let number = post
        let (shown, comments) = try await access.aboutPost(number) { client in
            (try await client.post(number), try await client.comments(on: number))
        }
        if json.isWanted {
            for value in [shown.json] + comments.map(\.json) { surroundings.print(value.line) }
        } else {
            for line in shown.lines + comments.flatMap({ [""] + $0.lines }) { surroundings.print(line) }
        }
        return .done
    }
}
