@testable import Bus

/// Two connected asynchronous sockets, each on its own loop.
enum AwaitedPair {
    /// Calls a closure with two sockets, the first of them bound, and ends their loops.
    static func with<Value: Sendable>(
        _ bound: SocketKind, _ connected: SocketKind, limit: Int = 10_000,
        _ work: (_ bound: AsyncSocket, _ connected: AsyncSocket) async throws -> Value
    ) async throws -> Value {
        let context = try Context()
        let loops = try (
            Loop.start(name: "bound", context: context), Loop.start(name: "connected", context: context)
        )
        let endpoint = try Endpoint.inproc("pair")
        let result: Result<Value, any Error>
        do {
            let options = (options(bound, limit: limit), options(connected, limit: limit))
            let first = try await AsyncSocket(bound, on: loops.0, options: options.0) {
                try $0.bind(endpoint)
            }
            let second = try await AsyncSocket(connected, on: loops.1, options: options.1) {
                try $0.connect(endpoint)
            }
            result = .success(try await work(first, second))
        } catch {
            result = .failure(error)
        }
        await loops.0.shutdown()
        await loops.1.shutdown()
        context.terminate()
        return try result.get()
    }

    /// Defaults with the same high-water mark for both directions.
    private static func options(_ kind: SocketKind, limit: Int) -> SocketOptions {
        var options = SocketOptions.defaults(for: kind)
        options.sendHighWaterMark = limit
        options.receiveHighWaterMark = limit
        return options
    }
}

extension AsyncSocket {
    /// Returns once that many tasks wait for a message, after that many messages were received.
    func awaitReader(number: Int = 1, afterMessages count: UInt64 = 0) async throws {
        try await poll {
            try waitingReaders >= number && withSocket { $0.counters.receivedMessages } >= count
        }
    }

    /// Returns once that many tasks wait for room.
    func awaitSender(number: Int = 1) async throws {
        try await poll { waitingSenders >= number }
    }

    private func poll(_ isDone: () throws -> Bool) async throws {
        let deadline = ContinuousClock.now + .seconds(20)
        while try !isDone() {
            guard ContinuousClock.now < deadline else { throw NothingReceived() }
            await Task.yield()
        }
    }
}
