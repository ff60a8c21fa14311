import Bus
import Testing

@Suite("Loop with its own thread", .timeLimit(.minutes(1)))
struct LoopStartTests {
    @Test("an actor pinned to a loop runs on its thread, and the loop isolates nothing else")
    func pinned() async throws {
        let loop = try Loop.start(name: "pinned", context: Fixture.context)
        let client = EchoClient(on: loop)
        #expect(await client.isOnThread)
        #expect(!loop.isOnThread)
        #expect(loop.isIsolatingCurrentContext() == false)
        await loop.shutdown()
    }

    @Test("an actor's requests are answered by another through their sockets")
    func echo() async throws {
        let loop = try Loop.start(name: "client", context: Fixture.context)
        let serverLoop = try Loop.start(name: "server", context: Fixture.context)
        let endpoint = try Fixture.inproc()
        let server = EchoServer(on: serverLoop)
        let client = EchoClient(on: loop)
        try await server.open(endpoint)
        try await client.open(endpoint)
        for number in UInt8(0)..<100 { #expect(await client.request([number]) == [number]) }
        await loop.shutdown()
        await serverLoop.shutdown()
    }

    @Test("a request without an answer ends at its deadline")
    func deadline() async throws {
        let loop = try Loop.start(name: "client", context: Fixture.context)
        let endpoint = try Fixture.inproc()
        let silent = try Socket(.router, context: Fixture.context)
        try silent.bind(endpoint)
        let client = EchoClient(on: loop)
        try await client.open(endpoint)
        #expect(await client.request([1], within: .milliseconds(20)) == nil)
        await loop.shutdown()
    }

    @Test("shutdown runs enqueued closures, and may be called again")
    func shutdown() async throws {
        let loop = try Loop.start(name: "shutdown", context: Fixture.context)
        let done = Counter()
        for _ in 0..<5_000 { loop.perform { _ = done.increment() } }
        await loop.shutdown()
        #expect(done.value == 5_000)
        await loop.shutdown()
    }

    @Test("a scoped loop and its context end with the closure, whether it returns or throws")
    func scope() async throws {
        let returned = try await Loop.withThread(name: "scope") { loop in
            let client = EchoClient(on: loop)
            try await client.open(Fixture.inproc())
            return client
        }
        #expect(await returned.isSocketClosed == true)
        var ended: Context?
        await #expect(throws: CancellationError.self) {
            try await Loop.withThread(name: "scope") { loop in
                ended = loop.context
                throw CancellationError()
            }
        }
        let context = try #require(ended)
        #expect(throws: BusError.self) { try Socket(.pair, context: context) }
    }

    @Test("shutdown closes the registered sockets, and later calls still run in isolation")
    func late() async throws {
        let loop = try Loop.start(name: "late", context: Fixture.context)
        let client = EchoClient(on: loop)
        try await client.open(Fixture.inproc())
        #expect(await client.isSocketClosed == false)
        await loop.shutdown()
        #expect(await client.isSocketClosed == true)
        #expect(await client.isOnThread)
        #expect(await client.request([1]) == nil)
    }

    @Test("an actor pinned to a loop can shut it down")
    func fromWithin() async throws {
        let loop = try Loop.start(name: "within", context: Fixture.context)
        let client = EchoClient(on: loop)
        try await client.open(Fixture.inproc())
        await client.shutdown()
        #expect(await client.isSocketClosed == true)
    }

    @Test("many tasks on one actor all run, a few jobs per turn")
    func manyTasks() async throws {
        let loop = try Loop.start(name: "tasks", context: Fixture.context)
        let client = EchoClient(on: loop)
        let total = await withTaskGroup(of: Int.self) { group in
            for _ in 0..<2_000 { group.addTask { await client.isOnThread ? 1 : 0 } }
            return await group.reduce(0, +)
        }
        #expect(total == 2_000)
        await loop.shutdown()
    }

    @Test("terminating the context ends a loop that polls one of its sockets")
    func terminated() async throws {
        let context = try Context()
        let loop = try Loop.start(name: "terminated", context: context)
        let client = EchoClient(on: loop)
        try await client.open(Fixture.inproc())
        context.terminate()
        #expect(await client.isSocketClosed == true)
        await loop.shutdown()
    }
}
