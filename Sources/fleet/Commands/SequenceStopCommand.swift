import ArgumentParser
import FleetProtocol

/// `fleet sequence stop`: leaves out what has not begun.
struct SequenceStopCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "stop",
        abstract: "End a sequence behind the command that runs.",
        discussion: """
            The command that runs ends as it would have, and those behind are left out. Exits with 1 when \
            the sequence had ended otherwise.

            EXAMPLES
              fleet sequence stop 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @OptionGroup var options: SequenceOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.steer(.stop, in: surroundings) { $0 == .stopping || $0 == .stopped }
    }
}
