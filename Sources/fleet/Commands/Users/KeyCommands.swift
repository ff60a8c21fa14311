import ArgumentParser
import ControllerSupport
import FleetClient
import FleetProtocol
import UserText

struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apikey", abstract: "Manage the API keys with which programs act for you.",
        discussion: """
            A key acts for you until it is revoked. With scope `read` it can only read. With scope `switch` \
            it can also switch devices, run command queues and write in the logbook, as far as you can. No \
            key manages users, keys, sites, rosters, faults or scenarios. A user has \
            \(Limits.userKeys) keys at most. They are revoked when your password changes, unless you use \
            --keep-keys, and when you are removed.

            EXAMPLES
              fleet apikey create home-assistant
              fleet apikey create grafana --scope read
              fleet apikey list
              fleet apikey revoke home-assistant
            """,
        subcommands: [KeyCreateCommand.self, KeyListCommand.self, KeyRevokeCommand.self])
}

extension APIKey.Name {
    static func parse(_ text: String) throws -> APIKey.Name {
        try APIKey.Name(text).orInvalid(
            "invalid key name: use 1 to 32 of a-z, A-Z, 0-9, '.', '_', '-', and no '.' first")
    }
}

struct KeyCreateCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "create", abstract: "Create an API key, and print it once.",
        discussion: """
            The key itself is not stored; if it cannot be printed, it is revoked. With --replace, your key \
            of that name is revoked first, if there is one: for a script that runs again, or after a \
            timeout.

            EXAMPLES
              fleet apikey create home-assistant
              fleet apikey create home-assistant --replace
              fleet apikey create grafana --scope read
              key=$(fleet apikey create script)
              fleet apikey create script --json | jq -r .key
            """)

    @Argument(help: "The key's name.", transform: APIKey.Name.parse) var name: APIKey.Name
    @Flag(help: "Revoke your key of that name first, if there is one.") var replace = false
    @Option(help: "The key's scope.") var scope = KeyScopeArgument.switch
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let token = Token.make()
        let key = try await access.withSession {
            if replace { try await revokeEarlier(with: $0) }
            return try await $0.addKey(name, digest: token.digest, scope: scope.scope)
        }
        let secret = CellToken(token, in: access.cell).text
        var output = CommandOutput(
            key.json(with: secret), secret,
            warnings: [
                "the key \(name) acts for \(key.user), scope \(key.scope.name); it is not shown again"
            ])
        output.revoke = { try await revoke(with: access) }
        return output
    }

    /// Revokes the new key, which could not be printed; returns a remark.
    private func revoke(with access: ControllerAccess) async throws -> String {
        do {
            _ = try await access.withSession { try await $0.revokeKey(name) }
        } catch {
            throw CommandFailure(
                .unwritten, "the key \(name) could not be printed, and is still valid: \(error)",
                advice: "revoke it with `fleet apikey revoke \(name)`")
        }
        return "the key \(name) could not be printed, and was revoked"
    }

    private func revokeEarlier(with client: FleetClient) async throws(FleetError) {
        do {
            try await client.revokeKey(name)
        } catch .refused(.notFound) {}
    }
}

struct KeyListCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "list", abstract: "List your API keys by name.",
        discussion: """
            EXAMPLES
              fleet apikey list
              fleet apikey list --json | jq -r .name
            """)

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        .list(
            try await access.withSession { try await $0.keys() }, APIKey.columns, json: \.json,
            absence: "fleet: no keys; create one with `fleet apikey create NAME`")
    }
}

struct KeyRevokeCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "revoke", abstract: "Revoke an API key: it is refused from then on.",
        discussion: """
            Requests that were made with the key continue.

            EXAMPLES
              fleet apikey revoke home-assistant
            """)

    @Argument(help: "The key's name.", transform: APIKey.Name.parse) var name: APIKey.Name
    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let absence = CommandFailure(
            .notPermitted, "you have no key \(name)", advice: "list your keys with `fleet apikey list`")
        let key = try await access.withSession(else: absence) { try await $0.revokeKey(name) }
        return CommandOutput(key.json, "\(name) was revoked")
    }
}
