import ArgumentParser
import FleetClient
import FleetProtocol
import FleetTime
import ScenarioFiles
import UserText

/// `fleet scale`: changes the number of devices of the running fleet.
struct ScaleCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale", abstract: "Give the running fleet more devices, or fewer.",
        discussion: """
            The first devices stay what they were, and are not disturbed. New ones come \
            on a node of their own; when there are to be fewer, the last ones leave: \
            observers see them go, and requests that wait for them end. Returns when the \
            controller knows of it. A scale that was interrupted goes on when it is \
            typed again. What the machine has too little memory or too few files for is \
            refused before anything changes.

            EXAMPLES
              fleet scale 1000
              fleet scale 50 --json
            """)

    /// The supervisor's timeout, which covers the start of a node or the end of nodes (SIGKILL after 2 s).
    private static let supervisorPatience: Duration = .seconds(5)

    @Argument(help: ArgumentHelp("How many devices there are to be: 1 to 1,000,000.", valueName: "count"))
    var devices: Int

    @OptionGroup var client: ClientOptions

    func validate() throws {
        guard (1...FleetPlan.deviceLimit).contains(devices) else {
            throw ValidationError("\(devices): there can be 1 to \(FleetPlan.deviceLimit) devices")
        }
    }

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let supervisor = SupervisorAccess(directory: access.directory)
        let wanted = UInt32(devices)
        let (before, size) = try await access.withSession { client in
            // An empty retirement checks the user's permission before the supervisor changes anything.
            _ = try await client.retire([])
            let before = try await client.status().devices
            let size = try await ask(.scale(devices: wanted), of: supervisor)
            let retirement = DeviceRetirement(client: client, surroundings: access.surroundings)
            try await retirement.run(size, known: before)
            if size.hosted > size.devices { _ = try await ask(.trim, of: supervisor) }
            try await arrive(with: client, in: access.surroundings)
            return (before, size)
        }
        return CommandOutput(line(before, size), words(size))
    }

    private func ask(
        _ request: SupervisorRequest, of supervisor: SupervisorAccess
    ) async throws -> FleetSize {
        guard let reply = try await supervisor.ask(request, patience: Self.supervisorPatience) else {
            throw supervisor.silence
        }
        guard reply.failure == nil, let size = reply.size else {
            throw CommandFailure(
                .refused,
                "the fleet was not scaled: \(SafeText.of(reply.failure ?? "its size is not known"))",
                advice: "`fleet status` shows what runs")
        }
        return size
    }

    /// Waits until the controller knows the requested number of devices.
    private func arrive(with client: FleetClient, in surroundings: Surroundings) async throws {
        var arrival = Arrival(of: devices, at: surroundings.now().monotonic)
        defer { surroundings.showProgress(nil) }
        while true {
            let known = Int(try await client.status().devices)
            switch arrival.judge(known, at: surroundings.now().monotonic) {
            case .arrived: return
            case .again(let words):
                if let words { surroundings.showProgress(words) }
                try await surroundings.pause(Arrival.interval)
            case .late:
                throw CommandFailure(
                    .undecided, "the controller knows \(Count.of(known, "device")), and not \(devices)",
                    advice: "`fleet status` shows what runs; then try again")
            }
        }
    }

    private func line(_ before: UInt32, _ size: FleetSize) -> JSONValue {
        [
            "devices": .integer(Int64(size.devices)), "before": .integer(Int64(before)),
            "nodes": .integer(Int64(size.nodes)),
        ]
    }

    private func words(_ size: FleetSize) -> String {
        "\(Count.of(Int(size.devices), "device")) on \(Count.of(Int(size.nodes), "node"))"
    }
}

/// `fleet scenario`: changes the scenario of the running fleet.
struct ScenarioCommand: ClientCommand {
    static let configuration = CommandConfiguration(
        commandName: "scenario", abstract: "Have the running fleet go on with another scenario.",
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

    @OptionGroup var client: ClientOptions

    func output(from access: ControllerAccess) async throws -> CommandOutput {
        let argument = scenario.argument
        // The controller is asked first because it checks the user's permission.
        let report = try await access.withSession { try await $0.changeScenario(to: argument) }
        let reply = try await SupervisorAccess(directory: access.directory).ask(
            .scenario(argument, scenario.cloudDay))
        let failures = failures(report, reply)
        return CommandOutput(
            line(report), words(report), warnings: failures, status: failures.isEmpty ? .done : .undecided)
    }

    /// Returns a message for each part of the change that failed.
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
