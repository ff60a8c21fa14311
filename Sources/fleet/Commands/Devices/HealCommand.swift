import ArgumentParser
import FleetClient
import FleetProtocol
import UserText

struct HealCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "heal",
        abstract: "Clear faults and report how many devices recovered.",
        discussion: """
            Clears offline, hang, slow and reboot faults at once, whether injected or planned by \
            the scenario. Without a SELECTOR it clears them for all devices whose nodes can be \
            reached. A device that has lost its Wi-Fi reconnects without it. Restart a node that \
            died with `fleet restart`.

            Without a SELECTOR it also clears cloud faults: injected ones, and those of the \
            scenario until they are due the next day. To clear a cloud fault that the scenario \
            keeps all day, switch to another with `fleet scenario`.

            EXAMPLES
              fleet heal
              fleet heal "Bedroom 7" 'office*'
              fleet heal --cloud
              fleet heal --json
            """)

    @Argument(help: .devices, completion: .devices) var selectors: [String] = []

    @Flag(name: .customLong("cloud"), help: "Clear only cloud faults.")
    var isCloudAlone = false

    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(
            selectors.isEmpty || !isCloudAlone, "--cloud applies to no device: leave the SELECTOR out")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        // The controller is asked first because it checks the user's permission.
        let report = try await access.withSession { client in
            if isCloudAlone { return try await client.retire([]) }
            let offline = try await client.faults().faults.filter { [.offline, .reboot].contains($0.fault) }
            var healed = Set(offline.map(\.device))
            let report: OrderReport
            if selectors.isEmpty {
                report = try await client.heal([])
            } else {
                let devices = try await access.devices(selectedBy: selectors, with: client).map(\.id)
                healed.formIntersection(devices)
                report = try await heal(devices, with: client)
            }
            try await access.awaitEffect(on: healed, with: client) { $0.presence.kind == .online }
            return report
        }
        let cloud = selectors.isEmpty ? try await healCloud(with: access) : nil
        let faults = cloud.map { Int($0.endedFaults) }
        let failures = (cloud?.failure.map { [SafeText.of($0)] } ?? []) + report.silence
        return CommandOutput(
            ["healed": report.devices, "silentNodes": report.silentNodes, "cloudFaults": faults],
            text(report, faults ?? 0), warnings: failures,
            status: failures.isEmpty ? .done : .undecided)
    }

    /// Asks the supervisor to end cloud faults; without one it returns nil, or throws for `--cloud`.
    private func healCloud(with access: ControllerAccess) async throws -> SupervisorReply? {
        let supervisor = SupervisorAccess(directory: access.directory)
        let timeout = InjectCommand.supervisorTimeout
        return isCloudAlone
            ? try await supervisor.askOrFail(.healCloud, timeout: timeout)
            : try await supervisor.ask(.healCloud, timeout: timeout)
    }

    /// Heals devices in orders of at most `Limits.faultDevices` devices, and returns the sum of the reports.
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

    private func text(_ report: OrderReport, _ faults: Int) -> String {
        let healed = [
            report.devices > 0 ? Count.of(Int(report.devices), "device") : nil,
            faults > 0 ? "\(Count.of(faults, "cloud fault"))" : nil,
        ].compactMap(\.self)
        return healed.isEmpty ? "no faults were active" : "healed: \(healed.joined(separator: " and "))"
    }
}

extension OrderReport {
    /// The message about nodes that did not answer; empty if all did.
    var silence: [String] {
        guard silentNodes > 0 else { return [] }
        let nodes = Count.of(Int(silentNodes), "node")
        return ["\(nodes) did not answer in time: check `fleet status`, then try again"]
    }
}
