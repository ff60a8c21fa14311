import ArgumentParser
import FleetClient
import UserText

/// `fleet devices`: lists the devices of the account.
struct DevicesCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices", abstract: "List the devices of the account.",
        discussion: """
            A part of several names selects all of them here. IDs, whole names, patterns, site:NAME and all \
            select the same devices as in every other command.

            EXAMPLES
              fleet devices
              fleet devices bedroom
              fleet devices 'bedroom ?' VMe9BNPT
              fleet devices --json | jq -r 'select(.presence != "online") | .name'
            """)

    @Argument(help: .devices) var selectors: [String] = []

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let directory = DeviceDirectory(try await access.withSession { try await $0.devices() })
        let devices = directory.listed(by: selectors)
        return CommandOutput(
            json: devices.map(\.json), lines: ListedDevice.table(of: devices).lines,
            remark: "\(devices.count) of \(directory.devices.count) devices")
    }
}
