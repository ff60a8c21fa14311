/// Returns the first result that satisfies the condition, or the last one if none of the attempts does.
///
/// For results that depend on time. A machine that stalls at times lengthens some attempts; a real slowness
/// lengthens each.
package func attempt<Value>(
    upTo attempts: Int = 3, until isWanted: (Value) -> Bool, _ body: () async throws -> Value
) async throws -> Value {
    var value = try await body()
    for _ in 1..<attempts where !isWanted(value) { value = try await body() }
    return value
}
