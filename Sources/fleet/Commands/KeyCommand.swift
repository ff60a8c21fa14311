import ArgumentParser
import FleetProtocol

/// `fleet apikey`: the keys by which programs act for who has logged in.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apikey",
        abstract: "Manage the keys by which programs act for you.",
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
    /// The name of a key as it is typed.
    static func parse(_ text: String) throws -> APIKey.Name {
        guard let name = APIKey.Name(text) else {
            throw ValidationError("a key's name is 1 to 32 of a-z, A-Z, 0-9, '.', '_', '-', and no '.' first")
        }
        return name
    }
}
