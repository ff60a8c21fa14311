import ArgumentParser
import FleetClient
import FleetProtocol
import Runtime
import Stepping
import Wording

/// `fleet scale`: gives the running fleet more devices, or fewer.
struct ScaleCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "scale",
        abstract: "Give the running fleet more devices, or fewer.",
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

    /// A node's start, or the end of nodes: SIGKILL comes after 2 s.
    private static let supervisorPatience: Duration = .seconds(5)

    @Argument(help: ArgumentHelp("How many devices there are to be: 1 to 1,000,000.", valueName: "count"))
    var devices: Int

    @OptionGroup var runDirectory: RunDirectoryOption
    @OptionGroup var json: JSONOption

    func validate() throws {
        guard (1...FleetPlan.deviceLimit).contains(devices) else {
            throw ValidationError("\(devices): there can be 1 to \(FleetPlan.deviceLimit) devices")
        }
    }

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try ControllerAccess(runDirectory, in: surroundings)
        let supervisor = SupervisorAccess(directory: access.directory)
        let wanted = UInt32(devices)
        let (before, size) = try await access.withSession { client in
            // Whoever may not is to change nothing at all.
            _ = try await client.retire([])
            let before = try await client.status().devices
            let size = try await ask(.scale(devices: wanted), of: supervisor)
            try await DeviceRetirement(client: client, surroundings: surroundings).run(size, known: before)
            if size.hosted > size.devices { _ = try await ask(.trim, of: supervisor) }
            try await arrive(with: client, in: surroundings)
            return (before, size)
        }
        surroundings.print(json.isWanted ? line(before, size).line : words(size))
        return .done
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

    /// Waits until the controller knows as many devices as there are to be.
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
