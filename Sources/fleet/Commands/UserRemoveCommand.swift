import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet user remove`: lets somebody log in no more.
struct UserRemoveCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "remove",
        abstract: "Take somebody out of the account, and end their sessions.",
        discussion: """
            What they asked of devices goes on. Nobody removes themselves or the last owner.

            EXAMPLES
              fleet user remove ann@example.com
            """)

    @Argument(help: "Who.", transform: Email.parse)
    var email: Email

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let ended = EndedSessions(
            of: email,
            count: try await access.aboutUser(email) { try await $0.removeUser(email) })
        surroundings.print(json.isWanted ? ended.json.line : "\(email) was removed; \(ended.words)")
        return .done
    }
}
