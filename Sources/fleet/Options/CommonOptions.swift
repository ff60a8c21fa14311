import ArgumentParser
import FleetProtocol
import ProcessSupport
import UserText

struct UserOption: ParsableArguments {
    @Option(
        name: .customLong("as"),
        help: .value(
            "email", "Use the session of this user, who has logged in here (default: the last log-in)."),
        transform: Email.parse)
    var user: Email?
}

struct TimeoutOption: ParsableArguments {
    @Option(
        name: .customLong("timeout"), parsing: .unconditional,
        help: .value(
            "duration",
            "Timeout of the device: above 0s, at most \(DurationText.text(Limits.longestTimeout)) "
                + "(default: \(DurationText.text(Limits.defaultTimeout)))."),
        transform: { try .parse($0, upTo: Limits.longestTimeout, "a timeout is") })
    var duration: Duration = Limits.defaultTimeout
}

struct JSONOption: ParsableArguments {
    @Flag(name: .customLong("json"), help: "Print results as JSON, one object a line.") var isWanted = false
}

struct RetainKeysOption: ParsableArguments {
    @Flag(name: .customLong("keep-keys"), help: "Keep the user's API keys, which are otherwise revoked.")
    var isWanted = false
}

/// The options of commands about one request: its ID, and those of commands that ask the controller.
struct RequestOptions: ParsableArguments {
    @Argument(help: "The request ID.", completion: .requests, transform: RequestID.parse)
    var requestID: RequestID

    @OptionGroup var client: ClientOptions
}

struct CommandOptions: ParsableArguments {
    /// The maximum number of devices that one command changes.
    static let deviceLimit = 1_000

    @OptionGroup var timeout: TimeoutOption

    @Option(
        name: .customLong("expect-version"),
        help: .value("version", "Change the device only at this version (`fleet devices` shows it)."))
    var expectedVersion: UInt64?

    @OptionGroup var client: ClientOptions

    /// Selects devices, reports their number if there are several, and sends each a command of `kind`. Fails
    /// with status 64 for more than ``deviceLimit`` devices, or several devices with one request ID. Returns
    /// the worst exit status.
    func run(
        _ kind: Command.Kind, on selectors: [String], requestID: RequestID? = nil, wording: StateWording,
        in surroundings: Surroundings
    ) async throws -> ExitStatus {
        let access = try client.access(in: surroundings)
        let run = RequestRun(surroundings: surroundings, isJSON: client.json.isWanted, wording: wording)
        return try await access.withSession { client in
            let devices = try await access.devices(selectedBy: selectors, with: client)
            try Self.check(devices.count, hasRequestID: requestID != nil)
            if devices.count > 1 { surroundings.notify("fleet: sending to \(devices.count) devices") }
            let items = devices.map { device in
                let id = requestID ?? surroundings.makeRequestID()
                return RequestRun.Item(device: device, command: command(kind, for: device, as: id))
            }
            return try await run.run(items, with: client)
        }
    }

    private static func check(_ count: Int, hasRequestID: Bool) throws(CommandFailure) {
        guard count == 1 || !hasRequestID else {
            throw CommandFailure(
                .usage, "--request-id applies to one request, and \(count) devices are selected",
                advice: "select one device, or leave --request-id out")
        }
        guard count <= deviceLimit else {
            throw CommandFailure(
                .usage, "\(count) devices are selected: at most \(deviceLimit) at a time",
                advice: "select fewer; `fleet load` toggles any number of devices")
        }
    }

    /// Returns a device's command; an expected version applies to the incarnation that the device reported.
    private func command(_ kind: Command.Kind, for device: ListedDevice, as id: RequestID) -> Command {
        let expected = expectedVersion.map {
            Expectation(incarnation: device.reported.incarnation, version: Version($0))
        }
        return Command(
            requestID: id, device: device.id, kind: kind, expected: expected, timeout: timeout.duration)
    }
}

struct PowerOptions: ParsableArguments {
    @Flag(help: "Switch it on.") var on = false
    @Flag(help: "Switch it off.") var off = false

    var isOn: Bool? { on || off ? on : nil }

    func validate() throws { try require(!(on && off), "give --on or --off, not both") }
}

struct SettingOptions: ParsableArguments {
    @Argument(help: .devices, completion: .devices) var devices: [String]
    @OptionGroup var options: CommandOptions

    /// Requests a change of the devices' settings, or shows those in `text` if `change` is nil.
    func run(
        _ change: SettingChange?, in surroundings: Surroundings,
        showing text: @Sendable @escaping (DeviceSettings, Surroundings) -> String
    ) async throws -> ExitStatus {
        if let change {
            return try await options.run(
                .configure(change), on: devices, wording: .setting(change.text), in: surroundings)
        }
        let access = try options.client.access(in: surroundings)
        let listed = try await access.withSession { try await access.devices(selectedBy: devices, with: $0) }
        for device in listed {
            try surroundings.print(
                options.client.json.isWanted
                    ? device.json.line
                    : "\(device.label): \(text(device.settings ?? DeviceSettings(), surroundings))")
        }
        return .done
    }
}

/// A number of degrees or percent from -1,000 to 1,000 with at most one decimal.
struct Threshold: ExpressibleByArgument, Equatable {
    let tenths: Int16

    /// Parses a number; nil if it is malformed, out of range, or has more than one decimal.
    init?(argument: String) {
        guard let number = Double(argument), number.isFinite, abs(number) <= 1_000 else { return nil }
        let tenths = (number * 10).rounded()
        guard abs(number * 10 - tenths) < 1e-6 else { return nil }
        self.tenths = Int16(tenths)
    }
}

struct SelfServiceArguments: ParsableArguments {
    @Flag(
        name: .customLong("allow-signup"),
        help: "Allow users to sign up: anyone who can reach the fleet can create an account.")
    var allowsSignUp = false

    @OptionGroup var messages: OutboxOptions

    /// The options as arguments for the controller, and for `fleet supervise` in the same directory.
    var arguments: [String] {
        (allowsSignUp ? ["--allow-signup"] : []) + (messages.outbox.map { ["--outbox", $0] } ?? [])
            + (messages.outboxCommand.map { ["--outbox-command", $0] } ?? [])
    }
}

/// Throws a `ValidationError` with the message unless the condition holds.
func require(_ condition: Bool, _ message: @autoclosure () -> String) throws {
    guard condition else { throw ValidationError(message()) }
}

/// Returns the value that `make` makes, and throws a `ValidationError` with its error, after the prefix.
func valid<Value>(_ prefix: String = "", _ make: () throws -> Value) throws -> Value {
    do {
        return try make()
    } catch {
        throw ValidationError("\(prefix)\(error)")
    }
}

extension Optional {
    /// Returns the value, and throws a `ValidationError` with the message if it is nil.
    func orInvalid(_ message: @autoclosure () -> String) throws -> Wrapped {
        guard let self else { throw ValidationError(message()) }
        return self
    }
}
