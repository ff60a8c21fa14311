/// What the first attempt gives that is as it has to be; the last one's where none of so many is.
///
/// For what is measured in time. A machine that stands still now and then lengthens some attempts; what takes
/// too long by itself does so in each.
package func attempt<Value>(
    upTo attempts: Int = 3, until isWanted: (Value) -> Bool, _ body: () async throws -> Value
) async throws -> Value {
    var value = try await body()
    for _ in 1..<attempts where !isWanted(value) { value = try await body() }
    return value
}
