import ArgumentParser
import FleetProtocol

/// `fleet site`: one site of the account.
struct SiteCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "site",
        abstract: "Show a site, and say what it is and which devices stand there.",
        discussion: """
            A device stands where its node says, as a scenario's groups do, unless an owner of the account \
            has assigned it. Everybody of the account sees its sites; owners change them. \
            A site is named by its name, in capitals or not, or by its id.

            EXAMPLES
              fleet site add "Mill Lane 4" --coordinates 59.9139,10.7522 --city Oslo --country NO
              fleet site "Mill Lane 4"
              fleet site set "Mill Lane 4" --description "<p>Ask at the <b>gate</b>.</p>"
              fleet site assign "Mill Lane 4" 'attic*' "Bedroom 7"
            """,
        subcommands: [
            SiteShowCommand.self, SiteListCommand.self, SiteAddCommand.self, SiteSetCommand.self,
            SiteAssignCommand.self, SiteUnassignCommand.self, SiteRemoveCommand.self,
        ],
        defaultSubcommand: SiteShowCommand.self)
}
