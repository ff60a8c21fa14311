import ArgumentParser
import FleetProtocol
import Wording

/// `fleet pure-boost`: sets how the fan of a Sensibo Pure follows the air quality.
struct PureBoostCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "pure-boost",
        abstract: "Set how the fan of a Sensibo Pure follows the air quality, or show the setting.",
        discussion: """
            The setting is stored, and every client sees it; the simulated fan does not follow it. \
            `fleet up --scenario mixed` starts a fleet with devices of this model.

            EXAMPLES
              fleet pure-boost Hall --on --sensitive --with geofence --with prime
              fleet pure-boost Hall --off
            """)

    @OptionGroup var target: SettingOptions

    @Flag(exclusivity: .exclusive)
    var power: SetCommand.Power?

    @Flag(help: "Act on air that is a little bad, too.")
    var sensitive = false

    @Option(
        name: .customLong("with"),
        help: ArgumentHelp("What else it goes by; may be given several times.", valueName: "what"))
    var integrations: [Integration] = []

    /// What a pure may go by besides its own sensor.
    enum Integration: String, CaseIterable, ExpressibleByArgument {
        case measurements, airConditioners, geofence, prime

        fileprivate var value: PureBoost.Integrations {
            switch self {
            case .measurements: .measurements
            case .airConditioners: .airConditioners
            case .geofence: .geofence
            case .prime: .prime
            }
        }
    }

    func validate() throws {
        guard power != nil || !sensitive && integrations.isEmpty else {
            throw ValidationError("say whether it acts: add --on or --off")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await target.run(change, in: surroundings) { settings, _ in
            settings.pureBoost?.words ?? "no pure boost; set it up with --on"
        }
    }

    /// What is asked; nil for nothing.
    var change: SettingChange? {
        power.map {
            .pureBoost(
                PureBoost(
                    isEnabled: $0 == .on, sensitivity: sensitive ? .sensitive : .normal,
                    integrations: PureBoost.Integrations(integrations.map(\.value))))
        }
    }
}
