/// Runs operations one after another, in the order in which they came.
actor OneAtATime {
    private var last: Task<Void, Never>?

    nonisolated func run(_ work: @escaping @Sendable () async throws -> Void) async throws {
        try await begin(work).value
    }

    private func begin(_ work: @escaping @Sendable () async throws -> Void) -> Task<Void, any Error> {
        let former = last
        let task = Task {
            await former?.value
            try await work()
        }
        last = Task { _ = await task.result }
        return task
    }
}
