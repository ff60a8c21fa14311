import ArgumentParser
import FleetProtocol

/// `fleet set`: brings devices to a state.
struct SetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "set",
        abstract: "Set power, mode, temperature, fan and more; the rest stays unchanged.",
        discussion: """
            EXAMPLES
              fleet set "Bedroom 7" --on --mode cool --temperature 22 --fan auto
              fleet set 'bedroom*' "Office 1" --off
              fleet set DQUpF6Xf --off --expect-version 1
              fleet set "Hall 2" --temperature 72 --unit fahrenheit --swing rangeFull
              fleet set "Hall 1" --off --correct
            """)

    /// Whether the device shall run.
    enum Power: String, EnumerableFlag {
        case on, off

        static func help(for power: Power) -> ArgumentHelp? {
            "Switch it \(power.rawValue)."
        }
    }

    @Argument(help: .devices)
    var devices: [String]

    @Flag(exclusivity: .exclusive)
    var power: Power?

    @Option(help: "What it does when it runs.")
    var mode: ACMode?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What it aims for, in whole degrees.", valueName: "degrees"))
    var temperature: Int8?

    @Option(help: "The unit of these degrees, and of the device from then on; else as it is.")
    var unit: TemperatureUnit?

    @Option(help: "How hard it blows.")
    var fan: FanLevel?

    @Option(help: "Where its flaps are, up and down.")
    var swing: Swing?

    @Option(help: "Where its vanes are, left and right.")
    var horizontalSwing: HorizontalSwing?

    @Option(help: "Its display.")
    var light: Light?

    @Flag(help: "Only correct what the device assumes its air conditioner is at: no infrared is sent.")
    var correct = false

    @OptionGroup var options: CommandOptions

    func validate() throws {
        guard !change.isEmpty else {
            throw ValidationError(
                "nothing to set: name --on, --off, --mode, --temperature, --unit, --fan, --swing, "
                    + "--horizontal-swing or --light")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.run(
            correct ? .correct(change) : .set(change), on: devices, wording: .everything, in: surroundings)
    }

    /// What is to change.
    var change: ACStateChange {
        ACStateChange(
            isOn: power.map { $0 == .on }, mode: mode, targetTemperature: temperature,
            temperatureUnit: unit, fanLevel: fan, swing: swing, horizontalSwing: horizontalSwing,
            light: light)
    }
}
