import ArgumentParser

/// The process that hosts simulated devices.
@main
struct DeviceSimCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "device-sim",
        abstract: "Hosts simulated Sensibo devices: one node, from one to a million of them.",
        subcommands: [Run.self])
}
