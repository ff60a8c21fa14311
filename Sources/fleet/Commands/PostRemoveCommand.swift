import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet post remove`: removes a post.
struct PostRemoveCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Remove a post with its comments: your own, or any as an owner.",
        discussion: """
            EXAMPLES
              fleet post remove 3
              fleet post remove 4 --json
            """)

    @Argument(help: "The post's number.", transform: PostNumber.parse)
    var post: PostNumber

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let number = post
        let access = try ControllerAccess(runDirectory, in: surroundings)
        try await access.aboutPost(number) { try await $0.removePost(number) }
        let line: JSONValue = ["id": .integer(Int64(number.value))]
        surroundings.print(json.isWanted ? line.line : "post \(number) is removed")
        return .done
    }
}
