extension Loop {
    /// Does something with a started loop and a context of its own, and ends both in order.
    ///
    /// The loop's ``context`` is its own: sockets that it does not know must be closed by the work.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, of which the system shows 15 bytes.
    ///   - precision: How exactly the loop wakes for timers.
    ///   - work: What is done; when it returns or throws, the loop is shut down and the context terminated.
    /// - Throws: As ``init(name:context:precision:)`` and ``Context/init(ioThreads:maxSockets:)`` do, and
    ///   what the work throws.
    public static func withThread<Value: Sendable>(
        name: String, precision: TimerPrecision = .millisecond, _ work: (Loop) async throws -> Value
    ) async throws -> Value {
        let context = try Context()
        let loop = try start(name: name, context: context, precision: precision)
        let result: Result<Value, any Error>
        do {
            result = .success(try await work(loop))
        } catch {
            result = .failure(error)
        }
        await loop.shutdown()
        context.terminate()
        return try result.get()
    }
}
