import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Wording

/// `fleet heal`: ends what goes wrong with devices.
struct HealCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "heal",
        abstract: "End what goes wrong with devices, and tell how many got well.",
        discussion: """
            Whatever lasts ends at once: offline, hang, slow and reboot, injected or of \
            the scenario. Without a SELECTOR that is so for all devices whose nodes can \
            be reached. A device whose Wi-Fi has dropped finds it again by itself, and a \
            node that died is started by `fleet restart`.

            A SELECTOR is a DEVICE (an id, a name, or a part of a name that no other \
            has), a pattern in which * stands for anything, or all.

            EXAMPLES
              fleet heal
              fleet heal "Bedroom 7" 'office*'
              fleet heal --json
            """)

    @Argument(help: ArgumentHelp("Which devices (default: all).", valueName: "selector"))
    var selectors: [String] = []

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let report = try await access.withSession { client in
            guard !selectors.isEmpty else { return try await client.heal([]) }
            let devices = try await DeviceDirectory.search(with: client, in: surroundings) {
                directory throws(CommandFailure) in try directory.selected(by: selectors)
            }
            return try await heal(devices.map(\.id), with: client)
        }
        surroundings.print(json.isWanted ? line(report).line : words(report))
        guard report.silentNodes > 0 else { return .done }
        surroundings.say(
            "fleet: \(Count.of(Int(report.silentNodes), "node")) did not answer in time: `fleet status`, "
                + "then try again")
        return .undecided
    }

    /// Orders of as many devices as one may name, one after the other.
    private func heal(_ devices: [DeviceID], with client: FleetClient) async throws(FleetError) -> OrderReport
    {
        var sum = OrderReport()
        for some in devices.orders {
            let report = try await client.heal(some)
            sum.devices += report.devices
            sum.silentNodes = max(sum.silentNodes, report.silentNodes)
        }
        return sum
    }

    private func line(_ report: OrderReport) -> JSONValue {
        [
            "healed": .integer(Int64(report.devices)), "silentNodes": .integer(Int64(report.silentNodes)),
        ]
    }

    private func words(_ report: OrderReport) -> String {
        report.devices == 0 ? "nothing was wrong" : "healed: \(Count.of(Int(report.devices), "device"))"
    }
}
