/// Checks repeatedly until a condition holds, for at most ten seconds.
func awaitThat(_ isSo: () throws -> Bool) throws {
    let deadline = ContinuousClock.now + .seconds(10)
    while try !isSo() {
        guard ContinuousClock.now < deadline else { throw NothingReceived() }
    }
}
