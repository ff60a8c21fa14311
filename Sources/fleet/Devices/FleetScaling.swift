import FleetClient
import FleetProtocol
import ProcessSupport
import UserText

/// Changes the number of devices of a running fleet.
struct FleetScaling: Sendable {
    /// The supervisor's timeout, which covers the start of a node or the end of nodes (SIGKILL after 2 s).
    private static let supervisorTimeout: Duration = .seconds(5)

    let access: ControllerAccess

    /// Scales the fleet, and returns once the controller knows the new number of devices.
    ///
    /// Removed devices do not count.
    ///
    /// - Returns: The number of devices before, and the new size with the indices of removed devices.
    /// - Throws: `CommandFailure` if the supervisor, a node or the machine prevents it; errors of the client.
    func run(to devices: Int, with client: FleetClient) async throws -> (before: UInt32, size: FleetSize) {
        let register = try access.directory.deviceRegister()
        let seed = try access.directory.seed() ?? 1
        // An empty retirement checks the user's permission before the supervisor changes anything.
        _ = try await client.retire([])
        let before = try await client.status().devices
        let indices = UInt32(register.indices(for: devices, seed: seed))
        let size = try await ask(.scale(devices: indices))
        let retirement = DeviceRetirement(client: client, surroundings: access.surroundings)
        try await retirement.run(size, known: before)
        if size.hosted > size.devices { _ = try await ask(.trim) }
        try await arrive(devices, with: client)
        return (before, size)
    }

    private func ask(_ request: SupervisorRequest) async throws -> FleetSize {
        let supervisor = SupervisorAccess(directory: access.directory)
        guard let reply = try await supervisor.ask(request, timeout: Self.supervisorTimeout) else {
            throw supervisor.silence
        }
        guard reply.failure == nil, let size = reply.size else {
            throw CommandFailure(
                .refused,
                "the fleet was not scaled: \(SafeText.of(reply.failure ?? "its size is not known"))",
                advice: "check `fleet status`")
        }
        return size
    }

    /// Waits until the controller knows that number of devices.
    private func arrive(_ devices: Int, with client: FleetClient) async throws {
        let surroundings = access.surroundings
        var arrival = Arrival(of: devices, at: surroundings.now().monotonic)
        defer { surroundings.showProgress(nil) }
        while true {
            let known = Int(try await client.status().devices)
            switch arrival.judge(known, at: surroundings.now().monotonic) {
            case .arrived: return
            case .again(let text):
                if let text { surroundings.showProgress(text) }
                try await surroundings.pause(Arrival.interval)
            case .late:
                throw CommandFailure(
                    .undecided, "the controller knows \(Count.of(known, "device")), not \(devices)",
                    advice: "check `fleet status`, then try again")
            }
        }
    }
}
