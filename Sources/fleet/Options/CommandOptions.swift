import ArgumentParser
import FleetClient
import FleetProtocol

/// The options that all commands share that change devices.
struct CommandOptions: ParsableArguments {
    /// The most devices of one command.
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

    /// Selects devices, prints how many if there are several, and sends each a command of that kind.
    ///
    /// - Parameter requestID: The request ID for a single device; nil for new IDs.
    /// - Returns: The worst exit status.
    /// - Throws: `CommandFailure` of status 64 for more than ``deviceLimit`` devices, or for several devices
    ///   with one request ID.
    func run(
        _ kind: Command.Kind, on selectors: [String], requestID: RequestID? = nil, wording: StateWording,
        in surroundings: Surroundings
    ) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let run = RequestRun(surroundings: surroundings, isJSON: json.isWanted, wording: wording)
        return try await access.withSession { client in
            let devices = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: selectors)
            }
            try Self.check(devices.count, hasRequestID: requestID != nil)
            if devices.count > 1 { surroundings.say("fleet: sending to \(devices.count) devices") }
            let items = devices.map { device in
                let id = requestID ?? surroundings.makeRequestID()
                return RequestRun.Item(device: device, command: command(kind, for: device, as: id))
            }
            return await run.run(items, with: client)
        }
    }

    private static func check(_ count: Int, hasRequestID: Bool) throws(CommandFailure) {
        guard count == 1 || !hasRequestID else {
            throw CommandFailure(
                .usage, "--request-id names one request, and \(count) devices are selected",
                advice: "select one device, or leave --request-id out")
        }
        guard count <= deviceLimit else {
            throw CommandFailure(
                .usage, "\(count) devices are selected: at most \(deviceLimit) at a time",
                advice: "select fewer; `fleet load` toggles any number of devices")
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
