import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet apikey revoke`: ends a key.
struct KeyRevokeCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke",
        abstract: "End a key: whoever shows it is turned away from then on.",
        discussion: """
            What was asked for with it goes on.

            EXAMPLES
              fleet apikey revoke home-assistant
            """)

    @Argument(help: "Which.", transform: APIKey.Name.parse)
    var name: APIKey.Name

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        do {
            let key = try await access.withSession { try await $0.revokeKey(name) }
            surroundings.print(json.isWanted ? key.json.line : "\(name) was revoked")
        } catch FleetError.refused(.notFound) {
            throw CommandFailure(
                .notPermitted, "you have no key \(name)", advice: "`fleet apikey list` shows those you have")
        }
        return .done
    }
}
