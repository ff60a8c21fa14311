import FleetClient
import FleetProtocol
import ProcessSupport

extension TortureFleet {
    /// Runs a closure while clients toggle, each its own device.
    ///
    /// - Parameter work: Called with the clients' history.
    func whileToggling<Result: Sendable>(
        _ devices: Int, _ work: @escaping @Sendable (History) async throws -> Result
    ) async throws -> Result {
        let history = History()
        let session = try StoredSession.read(from: directory.sessionFile)
        return try await FleetClient.withClient(
            of: try FleetConnection(directory).clientEndpoints, threadName: "judged",
            credentials: session.credentials, clock: { SystemClock().now() }, seed: 1
        ) { client in
            let all = try await client.devices().rows.map(\.device).sorted()
            let torture = TortureClient(
                client: client, other: client, devices: all, history: history, isRushed: Box<Bool>())
            return try await withThrowingTaskGroup(of: Void.self) { group in
                for index in 0..<devices {
                    group.addTask { await torture.toggle(all[index], seed: UInt64(index)) }
                }
                defer { group.cancelAll() }
                return try await work(history)
            }
        }
    }
}

extension TortureClient {
    /// Toggles a device until the task is cancelled.
    fileprivate func toggle(_ device: DeviceID, seed: UInt64) async {
        var generator = SeededGenerator(seed: seed)
        while !Task.isCancelled {
            await perform(command(to: device, using: &generator), as: .toggle)
            await Pace.wait(.milliseconds(5))
        }
    }
}
