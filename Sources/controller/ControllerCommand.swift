import ArgumentParser

/// The process that authenticates users and carries out their toggles.
@main
struct ControllerCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "controller",
        abstract: "Authenticates users and carries out toggles of devices, each exactly once.",
        discussion: """
            `fleet up` starts it; `fleet doctor` reads its versions.

            EXAMPLES
              controller serve --run-dir /tmp/lab --demo-account
            """,
        version: Versions.text,
        subcommands: [Serve.self, BackUp.self])
}
