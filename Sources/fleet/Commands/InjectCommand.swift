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
        abstract: "Make something go wrong with devices, or with the nodes that host them.",
        discussion: """
            offline  they lose their connection
            hang     they take commands and do not carry them out
            flip     a hand remote switches them, once
            reset    they lose their memory, and begin a new life as new ones
            slow     they carry out commands late, by as much as --by says
            reboot   they start again: away for a while, and what they held is lost, \
            but not their memory
            crash    the nodes that host them die as by SIGKILL, with all their devices

            A SELECTOR is a DEVICE (an id, a name, or a part of a name that no other \
            has), a pattern in which * stands for anything, or all. `fleet heal` ends \
            what lasts before its time.

            EXAMPLES
              fleet inject offline "Bedroom 7" --for 30s
              fleet inject flip 'bedroom*'
              fleet inject hang all --for 2s
              fleet inject slow 'office*' --by 2s --for 1m
            """)

    /// How long a fault lasts that names no time.
    static let defaultDuration: Duration = .seconds(30)
    /// How late slow devices are of which nobody said it.
    static let defaultDelay: Duration = .seconds(2)

    @Argument(help: "What goes wrong.")
    var kind: Fault

    @Argument(help: ArgumentHelp("With which devices.", valueName: "selector"))
    var selectors: [String]

    @Option(
        name: .customLong("for"), parsing: .unconditional,
        help: ArgumentHelp(
            "How long it lasts (default: 30s); flip, reset and crash are over at once.", valueName: "duration"
        ),
        transform: { try .parse($0, upTo: Limits.longestFault, "a fault lasts") })
    var duration: Duration?

    @Option(
        name: .customLong("by"), parsing: .unconditional,
        help: ArgumentHelp("How late slow devices are (default: 2s).", valueName: "duration"),
        transform: { try .parse($0, upTo: Limits.longestDelay, "a slow device is late by a time") })
    var delay: Duration?

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard duration == nil || kind.hasDuration else {
            let lasting = Fault.allCases.filter(\.hasDuration).map(\.name).joined(separator: ", ")
            throw ValidationError("--for: a \(kind.name) is over at once; what lasts is \(lasting)")
        }
        guard delay == nil || kind.hasDelay else {
            throw ValidationError("--by: only slow devices are late, and this is \(kind.name)")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let lasting = kind.hasDuration ? duration ?? Self.defaultDuration : .zero
        let late = kind.hasDelay ? delay ?? Self.defaultDelay : .zero
        let count = try await access.withSession { client in
            let devices = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: selectors)
            }
            return try await inject(into: devices.map(\.id), for: lasting, by: late, with: client)
        }
        surroundings.print(json.isWanted ? line(count, lasting, late).line : words(count, lasting, late))
        return .done
    }

    /// Orders of as many devices as one may name, one after the other.
    private func inject(
        into devices: [DeviceID], for lasting: Duration, by late: Duration, with client: FleetClient
    ) async throws(FleetError) -> Int {
        var count = 0
        for some in devices.orders {
            count += try await client.inject(kind, into: some, for: lasting, delay: late)
        }
        return count
    }

    private func line(_ count: Int, _ lasting: Duration, _ late: Duration) -> JSONValue {
        [
            "kind": .string(kind.name), "devices": .integer(Int64(count)),
            "durationMs": .integer(lasting.wholeMilliseconds), "delayMs": .integer(late.wholeMilliseconds),
        ]
    }

    private func words(_ count: Int, _ lasting: Duration, _ late: Duration) -> String {
        "\(kind.name): \(kind == .crash ? "the nodes of " : "")\(Count.of(count, "device"))"
            + (kind.hasDelay ? ", by \(DurationText.text(late))" : "")
            + (kind.hasDuration ? " for \(DurationText.text(lasting))" : "")
    }
}
