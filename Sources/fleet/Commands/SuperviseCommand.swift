import ArgumentParser
import FleetProtocol
import Runtime
import Wording

/// `fleet supervise`, hidden: what `fleet up --detach` leaves behind.
///
/// Until the fleet is ready it talks to whoever started it, and then into its log.
struct SuperviseCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "supervise",
        abstract: "Keep a fleet running in the background; `fleet up --detach` starts this.",
        discussion: """
            EXAMPLES
              fleet up --detach
            """,
        shouldDisplay: false)

    @OptionGroup var fleet: FleetOptions
    @OptionGroup var json: JSONOption

    var needsPrivileges: Bool { fleet.waysIn.outboxCommand != nil }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let directory = fleet.directory(in: surroundings)
        let plan = fleet.plan
        let supervisor = Supervisor(
            plan: plan, directory: directory, display: .none, surroundings: surroundings,
            announce: { processes throws(CommandFailure) in
                DemoAccount.say(from: directory, in: surroundings)
                FleetGateway.sayMove(plan.gatewayPort, from: directory, in: surroundings)
                let summary = ReadySummary(
                    plan: plan, directory: directory, processes: processes,
                    gatewayURL: FleetGateway.url(in: directory))
                surroundings.print(json.isWanted ? summary.json.line : summary.text)
                try surroundings.redirectOutput(directory.logFile(of: "supervisor"))
                surroundings.say("fleet: ready, supervisor pid \(surroundings.processID)")
            })
        try await supervisor.run()
        surroundings.say("fleet: ended")
        return .done
    }
}
