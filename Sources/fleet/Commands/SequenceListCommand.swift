import ArgumentParser
import FleetClient
import FleetProtocol
import Stepping
import Wording

/// `fleet sequence list`: tells which sequences there are.
struct SequenceListCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "list",
        abstract: "List the account's sequences, those made last first.",
        discussion: """
            Those that have ended are remembered as long as requests that have: a day, unless the fleet was \
            started otherwise, and \(Limits.accountSequences) in all.

            EXAMPLES
              fleet sequence list
              fleet sequence list --json | jq -r 'select(.isFinal | not) | .id'
            """)

    @Option(help: "How many at most, 1 to \(Limits.accountSequences).")
    var limit = 20

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...Limits.accountSequences).contains(limit) else {
            throw ValidationError("--limit is 1 to \(Limits.accountSequences)")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let sequences = try await access.withSession { try await $0.sequences(limit) }
        if json.isWanted {
            for sequence in sequences { surroundings.print(sequence.json.line) }
        } else if sequences.isEmpty {
            surroundings.say("fleet: there is no sequence; `fleet sequence --demo` starts one")
        } else {
            let table = SequenceSummary.table(of: sequences, at: surroundings.now().wall)
            for line in table.lines { surroundings.print(line) }
        }
        return .done
    }
}
