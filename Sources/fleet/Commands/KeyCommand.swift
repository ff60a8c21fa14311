import ArgumentParser
import FleetProtocol

/// `fleet apikey`: the keys by which programs act for who has logged in.
struct KeyCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "apikey",
        abstract: "Manage the keys by which programs act for you.",
        discussion: """
            Whoever shows a key may do what you may, until it is revoked. A user has \(Limits.userKeys) keys \
            at most. They stay when your password changes, and end when you are removed.

            EXAMPLES
              fleet apikey create home-assistant
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
