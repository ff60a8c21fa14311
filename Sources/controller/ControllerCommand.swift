import ArgumentParser

/// The process that authenticates users and carries out their toggles.
@main
struct ControllerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controller",
        abstract: "Authenticates users and carries out toggles of devices, each exactly once.",
        version: Versions.text,
        subcommands: [Serve.self])
}
