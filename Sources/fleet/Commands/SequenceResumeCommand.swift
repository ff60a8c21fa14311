import ArgumentParser
import FleetProtocol

/// `fleet sequence resume`: has a paused sequence go on.
struct SequenceResumeCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "resume",
        abstract: "Have a paused sequence go on.",
        discussion: """
            Exits with 1 when it was stopped, was cancelled or has ended.

            EXAMPLES
              fleet sequence resume 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @OptionGroup var options: SequenceOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.steer(.resume, in: surroundings) { $0 == .running }
    }
}
