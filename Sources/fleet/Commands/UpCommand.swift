import ArgumentParser
import FleetProtocol
import Runtime

/// `fleet up`: starts a fleet, and shows it.
struct UpCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "up",
        abstract: "Start a fleet, and show it.",
        discussion: """
            In a terminal it shows the observer; press q or Ctrl-C twice to stop the fleet. \
            Otherwise it prints the observer's plain lines. With --detach it returns \
            when every device has come up, and leaves the fleet running until `fleet down`. \
            A gateway serves a page for people, and Sensibo's API for programs, on this machine alone.

            EXAMPLES
              fleet up
              fleet up --devices 10000 --nodes 4 --scenario lively
              fleet up --detach --json
            """)

    @OptionGroup var fleet: FleetOptions

    @Flag(name: .customLong("detach"), help: "Return when the fleet is ready; `fleet down` ends it.")
    var detaches = false

    @OptionGroup var json: JSONOption

    var needsPrivileges: Bool { fleet.waysIn.outboxCommand != nil }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        if detaches {
            return try await DetachedStart(
                arguments: ["supervise"] + fleet.arguments + (json.isWanted ? ["--json"] : []),
                surroundings: surroundings
            ).run()
        }
        let directory = fleet.directory(in: surroundings)
        let plan = fleet.plan
        let display: FleetPlan.Display =
            json.isWanted ? .json : surroundings.canDraw ? .screen : .plain
        let supervisor = Supervisor(
            plan: plan, directory: directory, display: display, surroundings: surroundings,
            announce: { _ throws(CommandFailure) in
                DemoAccount.say(from: directory, in: surroundings)
                FleetGateway.say(plan.gatewayPort, from: directory, in: surroundings)
            })
        try await supervisor.run()
        return .done
    }
}
