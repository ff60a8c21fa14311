import ArgumentParser
import FleetProtocol

/// `fleet sequence pause`: has the next command wait.
struct SequencePauseCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "pause",
        abstract: "Have the next command of a sequence wait.",
        discussion: """
            The command that runs ends as it would have. Exits with 1 when there is nothing to pause any more.

            EXAMPLES
              fleet sequence pause 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @OptionGroup var options: SequenceOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.steer(.pause, in: surroundings) { $0 == .paused }
    }
}
