import Bus
import Glibc
import Synchronization
import Testing

@Suite("Loop with run()")
struct LoopRunTests {
    /// A loop that ends with an issue if the test does not end it.
    private static func makeLoop() throws -> Loop {
        let loop = try Loop(name: "test", context: Fixture.context)
        loop.schedule(after: .seconds(20)) {
            Issue.record("the loop was not stopped in time")
            loop.stop()
        }
        return loop
    }

    @Test("a handler that receives one message per turn receives all, one in each turn")
    func drain() throws {
        let loop = try Self.makeLoop()
        let (pull, push) = try Fixture.pair(.pull, .push)
        for number in UInt8(0)..<10 { #expect(try push.send([number]) == .sent) }
        var frames = Frames()
        var received: [UInt8] = []
        var turns = 0
        loop.onTurn { _ in
            turns += 1
            return nil
        }
        loop.register(pull) {
            do { if try pull.receive(into: &frames) { received += frames[0] } } catch { Issue.record(error) }
            if received.count == 10 { loop.stop() }
        }
        loop.run()
        #expect(received == Array(0..<10))
        #expect(turns == 10)
    }

    @Test("onTurn runs after the readable handlers, and again at the time it returned")
    func onTurn() throws {
        let loop = try Self.makeLoop()
        let (pull, push) = try Fixture.pair(.pull, .push)
        #expect(try push.send([1]) == .sent)
        var order: [String] = []
        var deadline: ContinuousClock.Instant?
        loop.onTurn { now in
            order.append("turn")
            if let deadline {
                #expect(now >= deadline)
                loop.stop()
            }
            deadline = now + .milliseconds(20)
            return deadline
        }
        loop.register(pull) {
            order.append("readable")
            #expect(throws: Never.self) { _ = try pull.receive() }
        }
        loop.run()
        #expect(order == ["readable", "turn", "turn"])
    }

    @Test("timers run in the order of their times, and a cancelled one does not run")
    func timers() throws {
        let loop = try Self.makeLoop()
        let start = ContinuousClock.now
        var order: [Int] = []
        for delay in [9, 3, 6] { loop.schedule(at: start + .milliseconds(delay)) { order.append(delay) } }
        let cancelled = loop.schedule(after: .milliseconds(1)) { order.append(0) }
        #expect(loop.cancel(cancelled))
        #expect(!loop.cancel(cancelled))
        loop.schedule(after: .milliseconds(20)) {
            #expect(ContinuousClock.now >= start + .milliseconds(20))
            loop.stop()
        }
        loop.run()
        #expect(order == [3, 6, 9])
    }

    @Test("closures of other threads run on the loop in order")
    func perform() async throws {
        let helper = try Loop.start(name: "helper", context: Fixture.context)
        try Self.runPerformed(by: helper)
        await helper.shutdown()
    }

    private static func runPerformed(by helper: Loop) throws {
        let loop = try makeLoop()
        let done = Mutex<[Int]>([])
        let asked = Array(0..<1_000)
        helper.perform {
            #expect(!loop.isOnThread)
            for number in asked {
                loop.perform { done.withLock { $0.append(loop.isOnThread ? number : -1) } }
            }
            loop.perform { loop.stop() }
        }
        loop.run()
        #expect(done.withLock { $0 } == asked)
    }

    @Test("another thread ends an idle loop")
    func stop() async throws {
        let helper = try Loop.start(name: "helper", context: Fixture.context)
        try Self.runStopped(by: helper)
        await helper.shutdown()
    }

    private static func runStopped(by helper: Loop) throws {
        let loop = try makeLoop()
        var turns = 0
        loop.onTurn { _ in
            turns += 1
            if turns == 1 { helper.perform { loop.stop() } }
            return nil
        }
        loop.run()
        #expect(turns >= 1)
    }

    @Test("a loop stopped before it runs executes enqueued closures and returns")
    func stopFirst() throws {
        let loop = try Self.makeLoop()
        let done = Counter()
        loop.perform { _ = done.increment() }
        loop.stop()
        loop.stop()
        loop.run()
        #expect(done.value == 1)
    }

    @Test("thousands of jobs delay a socket by one batch only")
    func starvation() throws {
        let loop = try Self.makeLoop()
        let (pull, push) = try Fixture.pair(.pull, .push)
        let jobCount = 20 * Loop.workPerTurn
        let done = Counter()
        for _ in 0..<jobCount { loop.perform { _ = done.increment() } }
        var doneWhenReadable: Int?
        loop.register(pull) {
            doneWhenReadable = done.value
            #expect(throws: Never.self) { _ = try pull.receive() }
            loop.stop()
        }
        var isSent = false
        loop.onTurn { _ in
            if !isSent { #expect(throws: Never.self) { isSent = try push.send([1]) == .sent } }
            return nil
        }
        loop.run()
        #expect(doneWhenReadable == Loop.workPerTurn)
        #expect(done.value == jobCount)
    }

    @Test("closures that enqueue themselves endlessly do not prevent the end of a loop")
    func endlessWork() throws {
        let loop = try Self.makeLoop()
        let ends = Counter()
        Self.performAgain(on: loop, until: ends)
        loop.stop()
        loop.run()
        // Closures enqueued after the end run on a thread of their own.
        _ = ends.increment()
    }

    private static func performAgain(on loop: Loop, until ends: Counter) {
        loop.perform {
            if ends.value == 0 { performAgain(on: loop, until: ends) }
        }
    }

    @Test("a handler unregistered by another in the same turn is not called")
    func unregister() throws {
        let loop = try Self.makeLoop()
        let first = try Fixture.pair(.pull, .push)
        let second = try Fixture.pair(.pull, .push)
        #expect(try first.connected.send([1]) == .sent)
        #expect(try second.connected.send([1]) == .sent)
        var calls: [String] = []
        loop.register(first.bound) {
            calls.append("first")
            loop.unregister(first.bound)
            loop.unregister(second.bound)
            loop.schedule(after: .milliseconds(1)) { loop.stop() }
        }
        loop.register(second.bound) { calls.append("second") }
        loop.run()
        #expect(calls == ["first"])
    }

    @Test("a closed socket is unregistered")
    func closed() throws {
        let loop = try Self.makeLoop()
        let (pull, push) = try Fixture.pair(.pull, .push)
        #expect(try push.send([1]) == .sent)
        var calls = 0
        loop.register(pull) {
            calls += 1
            pull.close()
            loop.schedule(after: .milliseconds(1)) { loop.stop() }
        }
        loop.run()
        #expect(calls == 1)
    }

    @Test("a file descriptor's handler runs when it is readable")
    func fileDescriptor() throws {
        let loop = try Self.makeLoop()
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let (readEnd, writeEnd) = (ends[0], ends[1])
        var received: UInt8 = 0
        loop.register(fileDescriptor: readEnd) {
            #expect(read(readEnd, &received, 1) == 1)
            loop.unregister(fileDescriptor: readEnd)
            loop.stop()
        }
        loop.schedule(after: .milliseconds(1)) {
            var byte: UInt8 = 77
            #expect(write(writeEnd, &byte, 1) == 1)
        }
        loop.run()
        #expect(received == 77)
    }

    @Test("releasing a handler, a timer or a closure may call the loop again")
    func reentrantRelease() throws {
        let loop = try Self.makeLoop()
        let (pull, _) = try Fixture.pair(.pull, .push)
        let other = try Fixture.pair(.pull, .push)
        let released = Counter()
        let makeWitness = {
            ReleaseWitness { [unowned loop] in
                _ = released.increment()
                loop.unregister(other.bound)
                loop.schedule(after: .zero) {}
                loop.perform {}
            }
        }
        loop.register(other.bound) {}
        Self.retain(makeWitness()) { witness in loop.register(pull) { withExtendedLifetime(witness) {} } }
        Self.retain(makeWitness()) { witness in
            let timer = loop.schedule(after: .seconds(1)) { withExtendedLifetime(witness) {} }
            loop.cancel(timer)
        }
        #expect(released.value == 1)
        Self.retain(makeWitness()) { witness in
            loop.onTurn { _ in withExtendedLifetime(witness) { nil } }
        }
        loop.unregister(pull)
        loop.schedule(after: .milliseconds(1)) { loop.stop() }
        loop.run()
        #expect(released.value == 3)
    }

    private static func retain(_ witness: ReleaseWitness, _ body: (ReleaseWitness) -> Void) {
        body(witness)
    }

    @Test("a loop releases its handlers when it ends, and leaves the sockets open")
    func release() throws {
        let loop = try Self.makeLoop()
        let (pull, _) = try Fixture.pair(.pull, .push)
        weak var witness: Counter?
        do {
            let captured = Counter()
            witness = captured
            loop.register(pull) { _ = captured.increment() }
            loop.onTurn { _ in
                _ = captured.increment()
                return nil
            }
        }
        #expect(witness != nil)
        loop.stop()
        loop.run()
        #expect(witness == nil)
        #expect(!pull.isClosed)
    }
}
