import ArgumentParser
import FleetProtocol
import Wording

/// `fleet calibrate`: has a pod add something to what it measures.
struct CalibrateCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "calibrate",
        abstract: "Have a device's pod add something to what its sensors say; or show what.",
        discussion: """
            What it measures from then on is moved by so much, and what goes by it with it: how warm it \
            feels, and Climate React. 0 takes it back.

            EXAMPLES
              fleet calibrate "Bedroom 7" --temperature -0.5
              fleet calibrate "Hall 1" --temperature 0 --humidity 2.5
            """)

    @OptionGroup var target: SettingOptions

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What it adds, in °C: -10 to 10, one decimal at most.", valueName: "degrees"))
    var temperature: Threshold?

    @Option(
        parsing: .unconditional,
        help: ArgumentHelp("What it adds, in percent: -10 to 10, one decimal at most.", valueName: "percent"))
    var humidity: Threshold?

    func validate() throws {
        for added in [temperature, humidity].compactMap({ $0 })
        where !SensorCalibration.tenths.contains(added.tenths) {
            throw ValidationError("\(Double(added.tenths) / 10) is too much: a pod adds -10 to 10")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.calibration?.words ?? "nothing is added; calibrate it with --temperature and --humidity"
        }
    }

    /// What is asked; nil for nothing.
    var change: SettingChange? {
        guard temperature != nil || humidity != nil else { return nil }
        return .calibration(deciCelsius: temperature?.tenths, humidityPermille: humidity?.tenths)
    }
}
