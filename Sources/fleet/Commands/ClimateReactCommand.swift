import ArgumentParser
import FleetProtocol
import Wording

/// `fleet climate-react`: has a device keep its room in a range.
struct ClimateReactCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "climate-react",
        abstract: "Have a device keep its room in a range by itself; or show which.",
        discussion: """
            When a measurement is the first beyond a threshold the device is set, and \
            then left in peace until its room has been back within. Below it heats and \
            above it cools (with --by humidity: off, and dry), unless a change says \
            otherwise: on, off, a mode, whole degrees and fan:LEVEL, with commas between.

            EXAMPLES
              fleet climate-react "Bedroom 7" --below 19 --above 26
              fleet climate-react "Hall 1" --above 65 --by humidity
              fleet climate-react "Hall 1" --below 18.5 --set-below on,heat,21 --by feelsLike
              fleet climate-react "Hall 1" --off
            """)

    @OptionGroup var target: SettingOptions

    @Flag(exclusivity: .exclusive)
    var power: SetCommand.Power?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Act below this, in °C or percent, one decimal at most.", valueName: "threshold"))
    var below: Threshold?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("Act above this, in °C or percent, one decimal at most.", valueName: "threshold"))
    var above: Threshold?

    @Option(help: ArgumentHelp("What of the room it goes by (default: temperature).", valueName: "measure"))
    var by: ClimateReact.Measure?

    @Option(
        help: ArgumentHelp("What is set below (default: on,heat).", valueName: "change"),
        transform: ACStateChange.parse)
    var setBelow: ACStateChange?

    @Option(
        help: ArgumentHelp("What is set above (default: on,cool).", valueName: "change"),
        transform: ACStateChange.parse)
    var setAbove: ACStateChange?

    func validate() throws {
        guard setBelow == nil || below != nil, setAbove == nil || above != nil else {
            throw ValidationError("a change needs its threshold: add --below or --above")
        }
        guard hasRange || by == nil else {
            throw ValidationError("--by needs a threshold: add --below or --above")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.climateReact?.words ?? "no Climate React of its own; set it up with --below and --above"
        }
    }

    private var hasRange: Bool { below != nil || above != nil }

    /// What is asked; nil for nothing.
    ///
    /// A range acts from now on, unless `--off` says otherwise.
    var change: SettingChange? {
        guard hasRange else { return power.map { .climateReactEnabled($0 == .on) } }
        let isHumidity = by == .humidity
        let usualLow = ACStateChange(isOn: !isHumidity, mode: isHumidity ? nil : .heat)
        let usualHigh = ACStateChange(isOn: true, mode: isHumidity ? .dry : .cool)
        return .climateReact(
            ClimateReact(
                isEnabled: power != .off, measure: by ?? .temperature,
                low: below.map { .init(tenths: $0.tenths, change: setBelow ?? usualLow) },
                high: above.map { .init(tenths: $0.tenths, change: setAbove ?? usualHigh) }))
    }
}
