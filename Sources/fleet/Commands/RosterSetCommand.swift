import ArgumentParser
import FleetClient
import FleetProtocol
import Stepping
import Wording

/// `fleet roster set`: says what stands over the roster.
struct RosterSetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Say what the roster is called, and the message of the day.",
        discussion: """
            What is not named stays as it is, and an empty text takes away what was said. Nothing is changed \
            where somebody else has changed the roster meanwhile.

            EXAMPLES
              fleet roster set --name "Harbour Hotel"
              fleet roster set --message "The lift is out of order."
              fleet roster set --message ""
            """)

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "What whoever has the roster is called: a line of \(Limits.nameBytes) bytes at most.",
            valueName: "name"))
    var name: String?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "The message of the day: plain text of \(Limits.rosterMessageBytes) bytes at most.",
            valueName: "text"))
    var message: String?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard name != nil || message != nil else {
            throw ValidationError("nothing to set: name --name or --message")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let now = surroundings.now().wall
        let (roster, plan) = try await access.withSession { client in
            let (known, plan) = try await client.roster(from: now)
            let heading = try heading(over: known.heading)
            return (try await client.changeRoster(from: known.version, to: heading), plan)
        }
        if json.isWanted {
            surroundings.print(roster.json(plan, at: now).line)
        } else {
            surroundings.print("the roster is changed (version \(roster.version))")
        }
        return .done
    }

    private func heading(over known: RosterHeading) throws(CommandFailure) -> RosterHeading {
        do throws(LogbookTextError) {
            return try RosterHeading(name: name ?? known.name, message: message ?? known.message)
        } catch {
            throw CommandFailure(.usage, error.description)
        }
    }
}
