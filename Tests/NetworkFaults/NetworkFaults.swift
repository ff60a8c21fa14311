import ArgumentParser

/// Programs that disturb the network of a test.
///
/// Both read commands from standard input, one a line, and answer each with a line: `ok`, or `error:` with
/// the reason. They end with their input, so none outlives its test. Every random choice follows from the
/// seed.
@main
struct NetworkFaults: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "network-faults", abstract: "Disturb the network of a test.",
        subcommands: [Forward.self, Relay.self])
}

/// A command that a program does not know, or a system call that failed.
struct Refused: Error, CustomStringConvertible {
    let description: String

    init(_ description: String) {
        self.description = description
    }
}
