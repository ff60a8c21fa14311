import Bus
public import Stepping

extension FleetClient {
    /// Does something with a client that has a thread and a context of its own, and ends all of them in
    /// order.
    ///
    /// - Parameters:
    ///   - endpoints: Where the controller is, or will be.
    ///   - threadName: The name of the thread, of which the system shows 15 bytes.
    ///   - credentials: Who asks; nil before a log-in.
    ///   - clock: Tells the time.
    ///   - seed: 64 random bits; they spread the tries of many clients over time and are no secret.
    ///   - work: What is done; when it returns or throws, the client is closed.
    /// - Throws: `BusError` or `transport` when there can be no client, and what the work throws.
    public static func withClient<Value: Sendable>(
        of endpoints: Endpoints, threadName: String, credentials: Credentials? = nil,
        clock: @escaping @Sendable () -> Moment, seed: UInt64, _ work: (FleetClient) async throws -> Value
    ) async throws -> Value {
        try await Loop.withThread(name: threadName) { loop in
            let client = try await open(
                endpoints, on: loop, context: loop.context, credentials: credentials, clock: clock, seed: seed
            )
            let result: Result<Value, any Error>
            do {
                result = .success(try await work(client))
            } catch {
                result = .failure(error)
            }
            await client.close()
            return try result.get()
        }
    }
}
