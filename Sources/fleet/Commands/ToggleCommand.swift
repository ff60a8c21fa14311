import ArgumentParser
import FleetProtocol

/// `fleet toggle`: switches devices.
struct ToggleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle",
        abstract: "Toggle devices: on becomes off, and off becomes on.",
        discussion: """
            Several devices are toggled at once, with a line for each as it ends. Of their exit \
            statuses the worst counts, in the order 0, 1, 69, 75, 77, 64, 70. Ctrl-C \
            cancels the toggles that have not ended, and shows whether each cancel was in time.

            EXAMPLES
              fleet toggle "Bedroom 7"
              fleet toggle "Bedroom 1" "Bedroom 2" --timeout 2s --json
              fleet toggle 'office*'
              fleet toggle all
              fleet toggle DQUpF6Xf --expect-version 1
            """)

    @Argument(help: .devices)
    var devices: [String]

    @Option(
        name: .customLong("request-id"),
        help: ArgumentHelp(
            "The request's identity, a UUID of version 7: asked again under it, nothing is done twice.",
            valueName: "uuid"),
        transform: RequestID.parse)
    var requestID: RequestID?

    @OptionGroup var options: CommandOptions

    func validate() throws {
        guard requestID == nil || devices.count == 1 else {
            throw ValidationError("--request-id names one request: it cannot be used with several devices")
        }
        guard devices.count <= CommandOptions.deviceLimit else {
            throw ValidationError(
                "\(devices.count) selectors: at most \(CommandOptions.deviceLimit) at a time")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.run(
            .toggle, on: devices, requestID: requestID, wording: .power, in: surroundings)
    }
}
