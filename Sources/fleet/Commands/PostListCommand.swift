import ArgumentParser
import FleetClient
import FleetProtocol
import Stepping
import Wording

/// `fleet post list`: tells what was written.
struct PostListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List posts, the newest first.",
        discussion: """
            EXAMPLES
              fleet post list
              fleet post list --limit 50 --before 120
              fleet post list --json | jq -r 'select(.author == "controller") | .title'
            """)

    @Option(help: "How many at most, 1 to \(Limits.accountPosts).")
    var limit = 20

    @Option(help: ArgumentHelp("Only those before that one.", valueName: "post"), transform: PostNumber.parse)
    var before: PostNumber?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...Limits.accountPosts).contains(limit) else {
            throw ValidationError("--limit is 1 to \(Limits.accountPosts)")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let (posts, total) = try await access.withSession { try await $0.posts(limit, before: before) }
        if json.isWanted {
            for post in posts { surroundings.print(post.json.line) }
        } else if total == 0 {
            surroundings.say("fleet: nothing was written yet; `fleet post write TITLE` does")
        } else {
            let table = Post.table(of: posts, at: surroundings.now().wall)
            for line in table.lines { surroundings.print(line) }
            surroundings.say("\(posts.count) of \(total) posts")
        }
        return .done
    }
}
