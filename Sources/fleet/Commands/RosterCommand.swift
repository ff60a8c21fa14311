import ArgumentParser
import FleetProtocol

/// `fleet roster`: who is on duty when, and the message of the day.
struct RosterCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "roster",
        abstract: "Show who is on duty when, import shifts, and say the message of the day.",
        discussion: """
            Everybody of the account sees its roster; owners change it. Of a fleet that was started with \
            --on-duty-only, members switch devices while they are on duty, and owners always.

            EXAMPLES
              fleet roster
              fleet roster example > november.csv
              fleet roster import --time-zone Europe/Oslo november.csv
              fleet roster set --message "The lift is out of order."
              fleet roster show --csv | tee november.csv
            """,
        subcommands: [
            RosterShowCommand.self, RosterExampleCommand.self, RosterImportCommand.self,
            RosterSetCommand.self,
        ],
        defaultSubcommand: RosterShowCommand.self)
}

extension PlaceClock {
    /// The clocks of a zone that a roster or a person names.
    ///
    /// - Throws: `CommandFailure` of status 64 where there is none of that name.
    static func of(_ zone: TimeZoneName) throws(CommandFailure) -> PlaceClock {
        guard let clock = PlaceClock(zone) else {
            throw CommandFailure(
                .usage, "there is no time zone '\(zone)' here",
                advice: "name one of the IANA database with --time-zone, as in Europe/Oslo")
        }
        return clock
    }
}
