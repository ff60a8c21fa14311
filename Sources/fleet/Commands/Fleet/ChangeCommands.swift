import ArgumentParser
import FleetClient
import FleetProtocol
import ProcessSupport
import UserFiles
import UserText

struct ScaleCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale", abstract: "Change the number of devices of the running fleet.",
        discussion: """
            The first devices are not changed or disturbed. New devices run on an \
            additional node. If the fleet shrinks, the last devices leave: observers see them go, \
            and their pending requests end. The command returns when the controller knows the new \
            number of devices. To continue an interrupted scale, repeat the command. If the \
            machine has too little memory or too few open files, the command fails before it \
            changes anything. Removed devices (`fleet device remove`) do not count, and stay away.

            EXAMPLES
              fleet scale 1000
              fleet scale 50 --json
            """)

    @Argument(help: .value("count", "The number of devices: 1 to 1,000,000.")) var devices: Int
    @OptionGroup var client: ClientOptions

    func validate() throws {
        try require(
            (1...FleetPlan.deviceLimit).contains(devices),
            "\(devices) devices: 1 to \(FleetPlan.deviceLimit) are possible")
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let scaling = FleetScaling(access: access)
        let (before, size) = try await access.withSession { try await scaling.run(to: devices, with: $0) }
        return CommandOutput(
            ["devices": devices, "before": before, "nodes": size.nodes],
            "\(Count.of(devices, "device")) on \(Count.of(Int(size.nodes), "node"))")
    }
}

struct ScenarioCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario", abstract: "Switch the running fleet to another scenario.",
        discussion: """
            Every node switches at once, and its simulated day starts again; nodes that start \
            later use the new scenario. Planned faults of the former scenario are dropped. \
            Active faults (a hang, a reboot, lost Wi-Fi) run out, or end with `fleet heal`. \
            Devices keep their names and rooms, which follow from the scenario that the fleet was \
            started with. If the new scenario crashes nodes, they are restarted, unless \
            `fleet up` got --no-restart-nodes.

            An invalid file is refused before anything is sent, with a list of its errors; \
            `device-sim explain --scenario FILE` describes what a valid one does. Do not move the \
            file: nodes that start later read it.

            EXAMPLES
              fleet scenario worst-day
              fleet scenario quiet
              fleet scenario office-day --json
            """)

    @Argument(
        help: .value("name|file", "The scenario: \(ReadyMadeScenario.names); or a file."),
        completion: .scenarios, transform: { try ScenarioChoice($0, zones: Environment.timeZones) })
    var scenario: ScenarioChoice

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let argument = scenario.argument
        let now = access.surroundings.now().wall
        // The clock of another machine may differ from that of the fleet.
        let beganAt = access.connection.membership == nil ? now : nil
        // The controller is asked first because it checks the user's permission.
        let report = try await access.withSession {
            try await $0.changeScenario(to: argument, beganAt: beganAt)
        }
        let reply = try await SupervisorAccess(directory: access.directory).ask(
            .scenario(argument, scenario.cloudDay, beganAt: now))
        let failures = failures(report, reply)
        return CommandOutput(
            line(report), text(report), warnings: failures, status: failures.isEmpty ? .done : .undecided)
    }

    /// Returns a message for each part of the change that failed.
    private func failures(_ report: OrderReport, _ reply: SupervisorReply?) -> [String] {
        var failures = report.silence
        if report.refusingNodes > 0 {
            failures.append(
                "\(Count.of(Int(report.refusingNodes), "node")) cannot read "
                    + "\(SafeText.of(scenario.argument)); the former one continues there: check `fleet logs`")
        }
        if reply == nil {
            failures.append("no supervisor answers: nodes that start later use their own scenario")
        } else if let failure = reply?.failure {
            failures.append("nodes that start later use the former scenario: \(SafeText.of(failure))")
        }
        return failures
    }

    private func line(_ report: OrderReport) -> JSONObject {
        [
            "scenario": scenario.name, "nodes": report.nodes, "devices": report.devices,
            "populationKept": report.unchangedPopulations > 0, "silentNodes": report.silentNodes,
            "refusingNodes": report.refusingNodes,
        ]
    }

    private func text(_ report: OrderReport) -> String {
        let devices = Count.of(Int(report.devices), "device")
        let remark = "; devices keep the names and rooms that the fleet was started with"
        return
            "\(SafeText.of(scenario.name)): switched \(devices) on \(Count.of(Int(report.nodes), "node"))"
            + (report.unchangedPopulations > 0 ? remark : "")
    }
}
