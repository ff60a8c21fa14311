import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet apikey list`: tells which keys one has.
struct KeyListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List your keys by name.",
        discussion: """
            EXAMPLES
              fleet apikey list
              fleet apikey list --json | jq -r .name
            """)

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let keys = try await access.withSession { try await $0.keys() }
        if json.isWanted {
            for key in keys { surroundings.print(key.json.line) }
        } else if keys.isEmpty {
            surroundings.say("fleet: you have no keys; `fleet apikey create NAME` makes one")
        } else {
            for line in APIKey.table(of: keys).lines { surroundings.print(line) }
        }
        return .done
    }
}
