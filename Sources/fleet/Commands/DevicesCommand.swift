import ArgumentParser
import FleetClient
import FleetProtocol
import Wording

/// `fleet devices`: lists the devices of the account.
struct DevicesCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices of the account.",
        discussion: """
            EXAMPLES
              fleet devices
              fleet devices bedroom
              fleet devices --json | jq -r 'select(.presence != "online") | .name'
            """)

    @Argument(help: "Only those with this in their name or id; case does not matter.")
    var filter: String?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let directory = DeviceDirectory(try await access.withSession { try await $0.devices() })
        let devices = directory.filtered(by: DeviceFilter(filter ?? ""))
        if json.isWanted {
            for device in devices { surroundings.print(device.json.line) }
        } else {
            for line in ListedDevice.table(of: devices).lines { surroundings.print(line) }
            surroundings.say("\(devices.count) of \(directory.devices.count) devices")
        }
        return .done
    }
}
