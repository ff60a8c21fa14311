import ArgumentParser
import FleetProtocol

/// `fleet set`: brings a device to a state.
struct SetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Bring a device to a state: what is not named stays as it is.",
        discussion: """
            EXAMPLES
              fleet set "Bedroom 7" --on --mode cool --temperature 22 --fan auto
              fleet set 4fT9xQ2a --off --expect-version 12
            """)

    /// Whether the device shall run.
    enum Power: String, EnumerableFlag {
        case on, off

        static func help(for power: Power) -> ArgumentHelp? {
            "Switch it \(power.rawValue)."
        }
    }

    @Argument(help: "By id, name or part of a name.")
    var device: String

    @Flag(exclusivity: .exclusive)
    var power: Power?

    @Option(help: "What it does when it runs.")
    var mode: ACMode?

    @Option(
        parsing: .unconditional, help: ArgumentHelp("What it aims for, in whole °C.", valueName: "celsius"))
    var temperature: Int8?

    @Option(help: "How hard it blows.")
    var fan: FanLevel?

    @OptionGroup var options: CommandOptions

    func validate() throws {
        guard !change.isEmpty else {
            throw ValidationError("nothing to set: name --on, --off, --mode, --temperature or --fan")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.run(.set(change), on: [device], wording: .everything, in: surroundings)
    }

    /// What is to change.
    var change: ACStateChange {
        ACStateChange(
            isOn: power.map { $0 == .on }, mode: mode, targetCelsius: temperature, fanLevel: fan)
    }
}
