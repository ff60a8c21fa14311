import ArgumentParser
import FleetProtocol

/// `fleet sequence`: commands one after another.
struct SequenceGroup: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "sequence",
        abstract: "Have devices carry out commands one after another.",
        discussion: """
            Each command begins when the one before has ended, and takes its time in the device. The \
            controller runs the sequence: it goes on when nobody looks, and after a restart, and carries out \
            no command twice.

            EXAMPLES
              fleet sequence --demo
              fleet sequence evening.yaml
              fleet sequence list
              fleet sequence pause 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """,
        subcommands: [
            SequenceRunCommand.self, SequenceListCommand.self, SequenceShowCommand.self,
            SequencePauseCommand.self, SequenceResumeCommand.self, SequenceStopCommand.self,
            SequenceCancelCommand.self,
        ],
        defaultSubcommand: SequenceRunCommand.self)
}
