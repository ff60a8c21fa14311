import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// `fleet apikey`: the commands for the user's API keys.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apikey", abstract: "Manage the keys by which programs act for you.",
        discussion: """
            A key acts for you until it is revoked. With scope `read` it reads. With scope `switch` \
            it also switches devices, runs sequences and writes in the logbook, as far as you may. No \
            key manages users, keys, sites, rosters, faults or scenarios. A user has \
            \(Limits.userKeys) keys at most. They are revoked when your password changes, unless \
            --keep-keys says otherwise, and when you are removed.

            EXAMPLES
              fleet apikey create home-assistant
              fleet apikey create grafana --scope read
              fleet apikey list
              fleet apikey revoke home-assistant
            """,
        subcommands: [KeyCreateCommand.self, KeyListCommand.self, KeyRevokeCommand.self])
}

extension APIKey.Name {
    /// Parses the name of a key, and throws `ValidationError` if it is malformed.
    static func parse(_ text: String) throws -> APIKey.Name {
        try APIKey.Name(text).orInvalid(
            "a key's name is 1 to 32 of a-z, A-Z, 0-9, '.', '_', '-', and no '.' first")
    }
}

/// `fleet apikey create`: creates an API key.
struct KeyCreateCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Make a key, and print it: it is shown this once.",
        discussion: """
            Nobody keeps the key itself. If there was no answer, see with `fleet apikey list` whether there \
            is one of that name; if so, revoke it, and make another.

            EXAMPLES
              fleet apikey create home-assistant
              fleet apikey create grafana --scope read
              key=$(fleet apikey create script)
              fleet apikey create script --json | jq -r .key
            """)

    @Argument(help: "What to call it.", transform: APIKey.Name.parse) var name: APIKey.Name

    @Option(help: "What it may do.") var scope = KeyScopeArgument.switch

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let secret = Secret()
        let key = try await access.withSession {
            try await $0.addKey(name, digest: secret.digest, scope: scope.scope)
        }
        return CommandOutput(
            key.json(with: secret), secret.text,
            warnings: [
                "the key \(name) acts for \(key.user), scope \(key.scope.name); it is not shown again"
            ])
    }
}

/// `fleet apikey list`: lists the user's API keys.
struct KeyListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your keys by name.",
        discussion: """
            EXAMPLES
              fleet apikey list
              fleet apikey list --json | jq -r .name
            """)

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let keys = try await access.withSession { try await $0.keys() }
        guard !keys.isEmpty else {
            return .nothing(remark: "fleet: you have no keys; `fleet apikey create NAME` makes one")
        }
        return CommandOutput(json: keys.map(\.json), lines: APIKey.table(of: keys).lines)
    }
}

/// `fleet apikey revoke`: revokes an API key.
struct KeyRevokeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "End a key: whoever shows it is turned away from then on.",
        discussion: """
            What was asked for with it goes on.

            EXAMPLES
              fleet apikey revoke home-assistant
            """)

    @Argument(help: "Which.", transform: APIKey.Name.parse) var name: APIKey.Name

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let absence = CommandFailure(
            .notPermitted, "you have no key \(name)", advice: "`fleet apikey list` shows those you have")
        let key = try await access.withSession(else: absence) { try await $0.revokeKey(name) }
        return CommandOutput(key.json, "\(name) was revoked")
    }
}
