import Bus
import Testing

@Suite("Hazard: a context's end waits for undelivered messages")
struct LingerTests {
    @Test("a context ends at once, regardless of queued messages")
    func atOnce() throws {
        // A machine that stalls at times lengthens some, but not all.
        let times = try (0..<5).map { _ in try Self.timeToEnd(linger: .zero) }
        #expect(try #require(times.min()) < .milliseconds(400))
    }

    @Test("a context with a linger ends after that time")
    func lingering() throws {
        let time = try Self.timeToEnd(linger: .milliseconds(500))
        #expect(time >= .milliseconds(450))
        #expect(time < .seconds(5))
    }

    @Test("sockets of every kind have a linger of zero by default", arguments: SocketKind.allCases)
    func defaults(kind: SocketKind) {
        #expect(SocketOptions.defaults(for: kind).linger == .zero)
    }

    /// The time until a context has ended with a message queued for a peer that never connects.
    private static func timeToEnd(linger: Duration) throws -> Duration {
        let directory = try TemporaryDirectory()
        let context = try Context()
        var options = SocketOptions.defaults(for: .push)
        options.linger = linger
        options.immediate = false
        let push = try Socket(.push, context: context, options: options)
        try push.connect(.ipc(path: directory.path + "/socket"))
        #expect(try push.send([1]) == .sent)
        let start = ContinuousClock.now
        push.close()
        context.terminate()
        return ContinuousClock.now - start
    }
}
