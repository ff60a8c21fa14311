import FleetClient

extension DeviceDirectory {
    /// How often, and how long between, a controller that has just started is asked again: 3 s in all.
    private static let looks = 30
    private static let pauseBetweenLooks: Duration = .milliseconds(100)

    /// Finds something among the account's devices.
    ///
    /// While the controller has only just started and may not know every device yet, what is missing is
    /// looked for again.
    ///
    /// - Throws: What the search throws, and what keeps the devices from being asked for.
    static func search<Found>(
        with client: FleetClient, in surroundings: Surroundings,
        _ find: (DeviceDirectory) throws(CommandFailure) -> Found
    ) async throws -> Found {
        for _ in 1..<looks {
            let snapshot = try await client.devices()
            do throws(CommandFailure) {
                return try find(DeviceDirectory(snapshot))
            } catch {
                guard snapshot.isSettling, error.status == .notPermitted else { throw error }
            }
            try await surroundings.pause(pauseBetweenLooks)
        }
        return try find(DeviceDirectory(try await client.devices()))
    }
}
