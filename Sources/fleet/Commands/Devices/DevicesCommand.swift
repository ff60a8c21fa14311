import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

/// `fleet devices`: lists the devices of the account.
struct DevicesCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List the devices of the account.",
        discussion: """
            A part of several names lists all of them. An ID, a whole name, a pattern, site:NAME and all \
            list what they select in every other command.

            EXAMPLES
              fleet devices
              fleet devices bedroom
              fleet devices 'bedroom ?' VMe9BNPT
              fleet devices --json | jq -r 'select(.presence != "online") | .name'
            """)

    @Argument(help: .devices)
    var selectors: [String] = []

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let directory = DeviceDirectory(try await access.withSession { try await $0.devices() })
        let devices = directory.listed(by: selectors)
        if json.isWanted {
            for device in devices { surroundings.print(device.json.line) }
        } else {
            for line in ListedDevice.table(of: devices).lines { surroundings.print(line) }
            surroundings.say("\(devices.count) of \(directory.devices.count) devices")
        }
        return .done
    }
}
