/// Bounds how long something may take.
enum Deadline {
    /// Does something, and gives it up where it takes too long.
    ///
    /// - Throws: What the work throws, or what `late` makes where its time is over.
    static func within<Value: Sendable>(
        _ patience: Duration, _ work: @escaping @Sendable () async throws -> Value,
        orThrow late: @escaping @Sendable () -> any Error
    ) async throws -> Value {
        try await withThrowingTaskGroup(of: Value.self) { group in
            group.addTask { try await work() }
            group.addTask {
                try await Task.sleep(for: patience)
                throw late()
            }
            defer { group.cancelAll() }
            guard let first = try await group.next() else { throw late() }
            return first
        }
    }
}
