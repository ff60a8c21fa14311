import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// What the commands that set what a device does by itself have in common.
struct SettingOptions: ParsableArguments {
    @Argument(help: .devices)
    var devices: [String]

    @OptionGroup var options: CommandOptions

    /// Requests a change of the devices' settings; nil only shows the settings.
    ///
    /// - Parameter words: What of the settings is shown to people.
    func run(
        _ change: SettingChange?, in surroundings: Surroundings,
        showing words: @Sendable @escaping (DeviceSettings, Surroundings) -> String
    ) async throws -> ExitStatus {
        if let change {
            return try await options.run(
                .configure(change), on: devices, wording: .setting(change.words), in: surroundings)
        }
        let access = try ControllerAccess(options.runDirectory, in: surroundings)
        let listed = try await access.withSession { client in
            try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: devices)
            }
        }
        for device in listed {
            surroundings.print(
                options.json.isWanted
                    ? device.json.line
                    : "\(device.label): \(words(device.settings ?? DeviceSettings(), surroundings))")
        }
        return .done
    }
}
