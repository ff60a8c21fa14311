import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import ScenarioFiles
import Wording

/// `fleet scenario`: has the running fleet go on with another scenario.
struct ScenarioCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario",
        abstract: "Have the running fleet go on with another scenario.",
        discussion: """
            Every node goes on with it at once, and its day begins; nodes that start \
            later begin with it. What the former scenario had planned does not happen \
            any more; what is under way (a hang, a reboot, a Wi-Fi that is gone) runs \
            out, or ends by `fleet heal`. Devices keep their names and rooms: those \
            follow from the scenario that the fleet was started with. Where it has nodes \
            crash, they are started again, unless `fleet up` was told otherwise.

            A file that is wrong is refused, with every wrong place, before anything is \
            sent; `device-sim explain --scenario FILE` tells what a good one does. The \
            file has to stay where it is: nodes that start later read it.

            EXAMPLES
              fleet scenario worst-day
              fleet scenario quiet
              fleet scenario office-day --json
            """)

    @Argument(
        help: ArgumentHelp(
            "What the devices go through: \(ReadyMadeScenario.names); or a file.", valueName: "name|file"),
        transform: { try ScenarioChoice($0) })
    var scenario: ScenarioChoice

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let argument = scenario.argument
        // The controller comes first: it knows whether the user may.
        let report = try await access.withSession { try await $0.changeScenario(to: argument) }
        let reply = try await SupervisorAccess(directory: access.directory).ask(
            .scenario(argument, scenario.cloudDay))
        surroundings.print(json.isWanted ? line(report).line : words(report))
        let failures = failures(report, reply)
        for failure in failures { surroundings.say("fleet: \(failure)") }
        return failures.isEmpty ? .done : .undecided
    }

    /// What did not come about, in words.
    private func failures(_ report: OrderReport, _ reply: SupervisorReply?) -> [String] {
        var failures: [String] = []
        if report.silentNodes > 0 {
            failures.append(
                "\(Count.of(Int(report.silentNodes), "node")) did not answer in time: `fleet status`, then "
                    + "try again")
        }
        if report.refusingNodes > 0 {
            failures.append(
                "\(Count.of(Int(report.refusingNodes), "node")) cannot read \(SafeText.of(scenario.argument)) "
                    + "and goes on as before: `fleet logs` says why")
        }
        switch reply {
        case nil: failures.append("no supervisor answers: nodes that start later have their own scenario")
        case .some(let reply):
            if let failure = reply.failure {
                failures.append("nodes that start later have the former scenario: \(SafeText.of(failure))")
            }
        }
        return failures
    }

    private func line(_ report: OrderReport) -> JSONValue {
        [
            "scenario": .string(scenario.name), "nodes": .integer(Int64(report.nodes)),
            "devices": .integer(Int64(report.devices)),
            "populationKept": .bool(report.keptPopulations > 0),
            "silentNodes": .integer(Int64(report.silentNodes)),
            "refusingNodes": .integer(Int64(report.refusingNodes)),
        ]
    }

    private func words(_ report: OrderReport) -> String {
        let devices = Count.of(Int(report.devices), "device")
        let kept = "; devices keep the names and rooms that the fleet was started with"
        return
            "\(SafeText.of(scenario.name)): \(devices) on \(Count.of(Int(report.nodes), "node")) go on"
            + (report.keptPopulations > 0 ? kept : "")
    }
}
