import Testing

@testable import Bus

@Suite("Hazard: an unbind ends connections at the next use of the socket", .timeLimit(.minutes(1)))
struct UnbindTests {
    @Test("until then a peer sends without an error, and its messages are lost")
    func lost() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let pull = try Socket(.pull, context: Fixture.context)
        let push = try Socket(.push, context: Fixture.context)
        let monitor = try push.monitor([.connects, .disconnects])
        try pull.bind(endpoint)
        try push.connect(endpoint)
        #expect(try push.sendWaiting([[1]]) == .sent)
        #expect(try pull.next() == [[1]])
        #expect(try monitor.next()?.event == .connected)
        try pull.unbind(endpoint)
        #expect(try push.send([2]) == .sent)
        #expect(try monitor.next() == nil)
        // The first use after the unbind.
        var frames = Frames()
        #expect(try !pull.receive(into: &frames))
        try awaitThat { try monitor.next()?.event == .disconnected }
        // The peer's socket learns it from its I/O thread.
        try awaitThat { try push.send([3]) == .wouldBlock }
        #expect(try !pull.receive(into: &frames))
    }
}
