import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Stepping
import Wording

/// `fleet inject`: makes something go wrong.
struct InjectCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "inject",
        abstract: "Make something go wrong with devices: offline, hang, flip or reset.",
        discussion: """
            offline  they lose their connection
            hang     they take commands and do not carry them out
            flip     a hand remote switches them, once
            reset    they lose their memory, and begin a new life as new ones

            A SELECTOR is a DEVICE (an id, a name, or a part of a name that no other \
            has), a pattern in which * stands for anything, or all.

            EXAMPLES
              fleet inject offline "Bedroom 7" --for 30s
              fleet inject flip 'bedroom*'
              fleet inject hang all --for 2s
            """)

    /// How long a fault lasts that names no time.
    static let defaultDuration: Duration = .seconds(30)

    @Argument(help: "What goes wrong.")
    var kind: Fault

    @Argument(help: ArgumentHelp("With which devices.", valueName: "selector"))
    var selectors: [String]

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp(
            "How long it lasts (default: 30s); flip and reset are over at once.", valueName: "duration"),
        transform: { try .parse($0, upTo: Limits.longestFault, "a fault lasts") })
    var duration: Duration?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard duration == nil || kind.hasDuration else {
            throw ValidationError("--for: a \(kind.name) is over at once")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let lasting = kind.hasDuration ? duration ?? Self.defaultDuration : .zero
        let count = try await access.withSession { client in
            let devices = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: selectors)
            }
            return try await inject(into: devices.map(\.id), for: lasting, with: client)
        }
        surroundings.print(json.isWanted ? line(count, lasting).line : words(count, lasting))
        return .done
    }

    /// Orders of as many devices as one may name, one after the other.
    private func inject(
        into devices: [DeviceID], for lasting: Duration, with client: FleetClient
    ) async throws(FleetError) -> Int {
        var count = 0
        for start in stride(from: 0, to: devices.count, by: Limits.faultDevices) {
            let some = devices[start..<min(start + Limits.faultDevices, devices.count)]
            count += try await client.inject(kind, into: Array(some), for: lasting)
        }
        return count
    }

    private func line(_ count: Int, _ lasting: Duration) -> JSONValue {
        [
            "kind": .string(kind.name), "devices": .integer(Int64(count)),
            "durationMs": .integer(lasting.wholeMilliseconds),
        ]
    }

    private func words(_ count: Int, _ lasting: Duration) -> String {
        "\(kind.name): \(Count.of(count, "device"))"
            + (kind.hasDuration ? " for \(DurationText.text(lasting))" : "")
    }
}
