import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

struct ToggleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "toggle", abstract: "Toggle devices: on becomes off, and off becomes on.",
        discussion: """
            Several devices are toggled at once, with a line for each result. The exit status is \
            the worst of theirs, in the order 0, 1, 69, 75, 77, 64, 70. Ctrl-C cancels \
            the toggles that have not ended, and shows whether each cancel was in time.

            EXAMPLES
              fleet toggle "Bedroom 7"
              fleet toggle "Bedroom 1" "Bedroom 2" --timeout 2s --json
              fleet toggle 'office*'
              fleet toggle all
              fleet toggle DQUpF6Xf --expect-version 1
            """)

    @Argument(help: .devices, completion: .devices) var devices: [String]

    @Option(
        help: .value(
            "uuid", "The request ID, a UUID of version 7: repeated with the same ID, the toggle runs once."),
        transform: RequestID.parse)
    var requestID: RequestID?

    @OptionGroup var options: CommandOptions

    func validate() throws {
        try require(
            requestID == nil || devices.count == 1,
            "--request-id names one request: it cannot be used with several devices")
        try require(
            devices.count <= CommandOptions.deviceLimit,
            "\(devices.count) selectors: at most \(CommandOptions.deviceLimit) at a time")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.run(.toggle, on: devices, requestID: requestID, wording: .power, in: surroundings)
    }
}

struct SetCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "set", abstract: "Set power, mode, temperature, fan and more; the rest stays unchanged.",
        discussion: """
            EXAMPLES
              fleet set "Bedroom 7" --on --mode cool --temperature 22 --fan auto
              fleet set 'bedroom*' "Office 1" --off
              fleet set DQUpF6Xf --off --expect-version 1
              fleet set "Hall 2" --temperature 72 --unit fahrenheit --swing rangeFull
              fleet set "Hall 1" --off --correct
            """)

    @Argument(help: .devices, completion: .devices) var devices: [String]
    @OptionGroup var onOff: PowerOptions
    @Option(help: "The mode.") var mode: ACMode?

    @Option(
        parsing: .unconditional, help: .value("degrees", "The target temperature, in whole degrees."),
        transform: { try Int8($0).orInvalid("write whole degrees, such as 22") })
    var temperature: Int8?

    @Option(help: "The unit of these degrees, and of the device from then on (default: unchanged).")
    var unit: TemperatureUnit?

    @Option(help: "The fan level.") var fan: FanLevel?
    @Option(help: "The position of the flaps, up and down.") var swing: Swing?
    @Option(help: "The position of the vanes, left and right.") var horizontalSwing: HorizontalSwing?
    @Option(help: "The display light.") var light: Light?

    @Flag(help: "Only correct the state that the device assumes of its air conditioner: sends no infrared.")
    var correct = false

    @OptionGroup var options: CommandOptions

    func validate() throws {
        try require(
            !change.isEmpty,
            "nothing to set: add --on, --off, --mode, --temperature, --unit, --fan, --swing, "
                + "--horizontal-swing or --light")
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        try await options.run(
            correct ? .correct(change) : .set(change), on: devices, wording: .everything, in: surroundings)
    }

    var change: ACStateChange {
        ACStateChange(
            isOn: onOff.isOn, mode: mode, targetTemperature: temperature,
            temperatureUnit: unit, fanLevel: fan, swing: swing, horizontalSwing: horizontalSwing,
            light: light)
    }
}

enum SideBySide {
    /// Runs `count` work items on all cores, and passes their results to `body` in the order of the items. At
    /// most `ahead` items are started but not yet delivered. The first error ends it.
    static func forEach<Value: Sendable>(
        _ count: Int, ahead: Int = 64, run: @escaping @Sendable (Int) throws -> Value,
        then body: (Value) throws -> Void
    ) async throws {
        try await withThrowingTaskGroup(of: (Int, Value).self) { group in
            var begun = 0
            var printed = 0
            var early: [Int: Value] = [:]
            while printed < count {
                while begun < min(count, printed + ahead) {
                    let place = begun
                    group.addTask { (place, try run(place)) }
                    begun += 1
                }
                guard let (place, value) = try await group.next() else { return }
                early[place] = value
                while let next = early.removeValue(forKey: printed) {
                    try body(next)
                    printed += 1
                }
            }
        }
    }
}

struct CancelCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "cancel", abstract: "Cancel a request, if there is still time.",
        discussion: """
            Exits with 0 if it was cancelled, 1 if it had already ended, and 75 if the \
            device has not answered yet. An ID that the controller does not know is cancelled \
            too: if that request arrives later, it is not carried out.

            EXAMPLES
              fleet cancel 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07
            """)

    @OptionGroup var request: RequestOptions

    var client: ClientOptions { request.client }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let answer = try await access.withSession { try await $0.cancel(request.requestID) }
        let line = CancelLine(requestID: request.requestID, answer: answer)
        return CommandOutput(line.json, Program.worded(line.text), status: ExitStatus(askedToCancel: answer))
    }
}

struct OutcomeCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "outcome", abstract: "Show the outcome of a request.",
        discussion: """
            The exit status is the one that `fleet toggle` would have had.

            EXAMPLES
              fleet outcome 0190a6e8-7c5b-7d2e-9a41-3f5b8c2d1e07 --json
            """)

    @OptionGroup var request: RequestOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try request.client.access(in: surroundings)
        let line = try await access.withSession { client in
            let completion = await end(of: request.requestID, with: client)
            let device = await device(of: completion, with: client)
            return OutcomeLine(requestID: request.requestID, device: device, completion: completion)
        }
        if case .report = line.completion, !request.client.json.isWanted {
            try surroundings.print(Program.worded(line.text(.everything)))
        } else {
            try surroundings.report(line, asJSON: request.client.json.isWanted)
        }
        return line.status
    }

    /// Returns the device of a report, for its name; nil if it cannot be read.
    private func device(
        of completion: OutcomeLine.Completion, with client: FleetClient
    ) async -> ListedDevice? {
        guard case .report(let report) = completion, let snapshot = try? await client.devices() else {
            return nil
        }
        return DeviceDirectory(snapshot).devices.first { $0.id == report.device }
    }

    private func end(of requestID: RequestID, with client: FleetClient) async -> OutcomeLine.Completion {
        do throws(FleetError) {
            return .report(try await client.outcome(of: requestID))
        } catch {
            guard case .refused(.notFound) = error else { return OutcomeLine.Completion(error) }
            let failure = CommandFailure(
                .notPermitted, "no request with this ID in this account",
                advice: "a delayed copy may still arrive; `fleet cancel \(requestID)` prevents its start")
            return .failure(Refusal.notFound.name, failure)
        }
    }
}
