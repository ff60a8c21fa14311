import ArgumentParser
import FleetClient
import FleetProtocol

/// What `fleet toggle` and `fleet set` have in common.
struct CommandOptions: ParsableArguments {
    /// Devices in one command line.
    static let deviceLimit = 1_000

    @OptionGroup var timeout: TimeoutOption

    @Option(
        name: .customLong("expect-version"),
        help: ArgumentHelp(
            "Do nothing unless the device is at this version (`fleet devices` shows it).",
            valueName: "version"))
    var expectedVersion: UInt64?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    /// Finds the devices, and asks each for a command of that kind.
    ///
    /// - Parameter requestID: The identity of the one request; nil for new ones.
    /// - Returns: The worst of their statuses.
    func run(
        _ kind: Command.Kind, on names: [String], requestID: RequestID? = nil, wording: StateWording,
        in surroundings: Surroundings
    ) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let run = RequestRun(surroundings: surroundings, isJSON: json.isWanted, wording: wording)
        return try await access.withSession { client in
            let devices = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.uniqueDevices(names)
            }
            let items = devices.map { device in
                let id = requestID ?? surroundings.makeRequestID()
                return RequestRun.Item(device: device, command: command(kind, for: device, as: id))
            }
            return await run.run(items, with: client)
        }
    }

    /// The version expected counts within the incarnation that the device has now.
    private func command(_ kind: Command.Kind, for device: ListedDevice, as id: RequestID) -> Command {
        let expected = expectedVersion.map {
            Expectation(incarnation: device.reported.incarnation, version: Version($0))
        }
        return Command(
            requestID: id, device: device.id, kind: kind, expected: expected, patience: timeout.patience)
    }
}
