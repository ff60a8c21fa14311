import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet apikey create`: makes a key.
struct KeyCreateCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "create",
        abstract: "Make a key, and print it: it is shown this once.",
        discussion: """
            Nobody keeps the key itself. If there was no answer, see with `fleet apikey list` whether there \
            is one of that name; if so, revoke it, and make another.

            EXAMPLES
              fleet apikey create home-assistant
              fleet apikey create grafana --scope read
              key=$(fleet apikey create script)
              fleet apikey create script --json | jq -r .key
            """)

    @Argument(help: "What to call it.", transform: APIKey.Name.parse)
    var name: APIKey.Name

    @Option(help: "What it may do.")
    var scope = KeyScopeArgument.switch

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let secret = Secret()
        let key = try await access.withSession {
            try await $0.addKey(name, digest: secret.digest, scope: scope.scope)
        }
        surroundings.print(json.isWanted ? key.json(with: secret).line : secret.text)
        surroundings.say(
            "fleet: the key \(name) acts for \(key.user), scope \(key.scope.name); it is not shown again")
        return .done
    }
}
