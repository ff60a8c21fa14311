import Bus
import Testing

@Suite("AsyncSocket", .timeLimit(.minutes(1)))
struct AsyncSocketTests {
    @Test("a message is received whether it arrives before or after the receive")
    func receive() async throws {
        try await AwaitedPair.with(.pull, .push) { pull, push in
            #expect(try await push.send([[1], [2]]) == .sent)
            #expect(try await pull.receive() == [[1], [2]])
            async let awaited = pull.receive()
            try await pull.awaitReader()
            #expect(try await push.send([[3]]) == .sent)
            #expect(try await awaited == [[3]])
        }
    }

    @Test("a receive ends at its timeout, and a later message goes to the next receive")
    func limit() async throws {
        try await AwaitedPair.with(.pull, .push) { pull, push in
            let nothing = try await pull.receive(within: .milliseconds(5))
            #expect(nothing == nil)
            #expect(try await push.send([[1]]) == .sent)
            #expect(try await pull.receive(within: .seconds(20)) == [[1]])
        }
        try await Loop.withThread(name: "alone") { loop in
            let push = try await AsyncSocket(.push, on: loop) { _ in }
            #expect(try await push.send([[1]], within: .milliseconds(5)) == .wouldBlock)
        }
    }

    @Test("waiting readers are served in their order")
    func order() async throws {
        try await AwaitedPair.with(.pull, .push) { pull, push in
            var readers: [Task<[[UInt8]]?, any Error>] = []
            for number in 1...5 {
                readers.append(Task { try await pull.receive() })
                try await pull.awaitReader(number: number)
            }
            for number in UInt8(1)...5 { #expect(try await push.send([[number]]) == .sent) }
            for number in UInt8(1)...5 { #expect(try await readers[Int(number) - 1].value == [[number]]) }
        }
    }

    @Test("closing a socket ends every wait and its sequence of messages")
    func closed() async throws {
        try await AwaitedPair.with(.pull, .push) { pull, push in
            #expect(try await push.send([[1]]) == .sent)
            let reader = Task {
                var received: [[[UInt8]]] = []
                for try await message in pull.messages { received.append(message) }
                return received
            }
            try await pull.awaitReader(afterMessages: 1)
            await pull.close()
            #expect(try await reader.value == [[[1]]])
            await Self.expectClosed { _ = try await pull.receive() }
            await Self.expectClosed { _ = try await pull.withSocket { $0.isClosed } }
        }
    }

    @Test("the end of a loop closes its sockets and ends every wait, and new sockets are refused")
    func loopEnded() async throws {
        let loop = try Loop.start(name: "ended", context: Fixture.context)
        let endpoint = try Fixture.inproc()
        let pull = try await AsyncSocket(.pull, on: loop) { try $0.bind(endpoint) }
        let push = try await AsyncSocket(.push, on: loop) { _ in }
        let reader = Task { try await pull.receive() }
        let sender = Task { try await push.send([[1]]) }
        try await pull.awaitReader()
        try await push.awaitSender()
        await loop.shutdown()
        await Self.expectClosed { _ = try await reader.value }
        await Self.expectClosed { _ = try await sender.value }
        await Self.expectClosed { _ = try await pull.receive() }
        await Self.expectClosed { _ = try await AsyncSocket(.pull, on: loop) { _ in } }
    }

    @Test("a socket without references is closed")
    func dropped() async throws {
        let directory = try TemporaryDirectory()
        let loop = try Loop.start(name: "dropped", context: Fixture.context)
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        do {
            let pull = try await AsyncSocket(.pull, on: loop) { try $0.bind(endpoint) }
            #expect(directory.names == ["socket"])
            #expect(pull.kind == .pull)
        }
        await withCheckedContinuation { passed in loop.perform { passed.resume() } }
        #expect(directory.names == [])
        await loop.shutdown()
    }

    @Test("a socket that is closed on the loop's thread ends its waits too")
    func closedWithin() async throws {
        try await AwaitedPair.with(.pull, .push) { pull, _ in
            let reader = Task { try await pull.receive() }
            try await pull.awaitReader()
            try await pull.withSocket { $0.close() }
            await Self.expectClosed { _ = try await reader.value }
        }
    }

    @Test("an unsupported operation of a socket kind throws at once")
    func notSupported() async throws {
        try await AwaitedPair.with(.pull, .push) { pull, push in
            let receiving = await #expect(throws: BusError.self) { _ = try await push.receive() }
            #expect(receiving?.code == .notSupported)
            let sending = await #expect(throws: BusError.self) { _ = try await pull.send([[1]]) }
            #expect(sending?.code == .notSupported)
        }
    }

    @Test("an error in a socket's preparation is thrown, and nothing stays open")
    func prepare() async throws {
        let loop = try Loop.start(name: "prepare", context: Fixture.context)
        let directory = try TemporaryDirectory()
        let first = try Endpoint.ipc(path: directory.path + "/socket")
        let second = try Endpoint.ipc(path: directory.path + "/none/socket")
        let error = await #expect(throws: BusError.self) {
            try await AsyncSocket(.pull, on: loop) { socket in
                try socket.bind(first)
                try socket.bind(second)
            }
        }
        #expect(error?.code == .notFound)
        await loop.shutdown()
        #expect(directory.names == [])
    }

    @Test("a task on the loop's thread that never waits lets the loop take its turns")
    func ownThread() async throws {
        try await AwaitedPair.with(.pull, .push) { pull, push in
            for _ in 0..<1_000 { #expect(try await push.send([[1]]) == .sent) }
            let reader = PinnedReader(on: pull)
            let count = try await reader.countAtNextTurn(of: 1_000)
            #expect(count != nil)
        }
    }

    private static func expectClosed(
        sourceLocation: SourceLocation = #_sourceLocation, _ body: () async throws -> Void
    ) async {
        let error = await #expect(throws: BusError.self, sourceLocation: sourceLocation) { try await body() }
        #expect(error?.code == .socketClosed, sourceLocation: sourceLocation)
    }
}

/// Reads on the thread of the socket's loop.
private actor PinnedReader {
    private let socket: AsyncSocket
    private var count = 0
    private var countAtTurn: Int?

    nonisolated var unownedExecutor: UnownedSerialExecutor { socket.unownedExecutor }

    init(on socket: AsyncSocket) {
        self.socket = socket
    }

    /// The number of messages read when the loop had its next turn; nil if that was after all of them.
    func countAtNextTurn(of messages: Int) async throws -> Int? {
        Task { recordTurn() }
        while count < messages {
            _ = try await socket.receive()
            count += 1
        }
        return countAtTurn
    }

    private func recordTurn() {
        countAtTurn = count
    }
}
