/// Runs a closure, and another one after it in any case.
func withCleanup<Value>(
    _ body: () async throws -> Value, cleanup: () async throws -> Void
) async throws -> Value {
    let result: Result<Value, any Error>
    do {
        result = .success(try await body())
    } catch {
        result = .failure(error)
    }
    try await cleanup()
    return try result.get()
}
