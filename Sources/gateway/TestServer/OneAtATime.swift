/// Runs operations one after another, in the order in which they came. One that has begun is carried out,
/// also if the client that asked for it has gone.
actor OneAtATime {
    private var last: Task<Void, Never>?

    nonisolated func run<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) async throws -> Value {
        try await begin(work).value
    }

    private func begin<Value: Sendable>(
        _ work: @escaping @Sendable () async throws -> Value
    ) -> Task<Value, any Error> {
        let former = last
        let task = Task {
            await former?.value
            return try await work()
        }
        last = Task { _ = await task.result }
        return task
    }
}
