import ArgumentParser
import Wording

/// The process that hosts simulated devices.
@main
struct DeviceSimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-sim",
        abstract: "Hosts simulated Sensibo devices: one node, from one to a million of them.",
        discussion: """
            `fleet up` starts as many of them as it is told to.

            EXAMPLES
              device-sim run --devices 100 --scenario lively
              device-sim explain --scenario office-day
              device-sim rehearse --scenario office-day
            """,
        version: ProgramVersion.text(of: "device-sim"),
        subcommands: [Run.self, Explain.self, Rehearse.self])
}
