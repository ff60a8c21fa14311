/// Runs operations one after another, in the order in which they came. One that has begun is carried out,
/// also if the client that asked for it has gone.
actor OneAtATime {
    struct Busy: Error, CustomStringConvertible {
        var description: String { "the server is at another operation: try again" }
    }

    private var last: Task<Void, Never>?
    private var pending = 0

    nonisolated func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await begin(work).value
    }

    /// Runs an operation now, or throws ``Busy``.
    func runAtOnce<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        guard pending == 0 else { throw Busy() }
        return try await begin(work).value
    }

    private func begin<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let former = last
        pending += 1
        let task = Task {
            await former?.value
            return try await work()
        }
        last = Task {
            _ = await task.result
            pending -= 1
        }
        return task
    }
}
