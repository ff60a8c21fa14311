import ArgumentParser
import FleetProtocol

/// `fleet sequence cancel`: takes back what runs, and leaves out the rest.
struct SequenceCancelCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel",
        abstract: "Take back the command of a sequence that runs, and leave out those behind.",
        discussion: """
            As with `fleet cancel`, the device may have been faster: then the command has ended as it did. \
            Exits with 1 when the sequence had ended otherwise.

            EXAMPLES
              fleet sequence cancel 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @OptionGroup var options: SequenceOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.steer(.cancel, in: surroundings) { $0 == .cancelling || $0 == .cancelled }
    }
}
