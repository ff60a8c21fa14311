import CZMQ
import Testing

@testable import Bus

@Suite("Hazard: CONFLATE keeps one message per socket, not per topic")
struct ConflateTests {
    @Test(
        "sockets of every kind have CONFLATE off, without an option to set it",
        arguments: SocketKind.allCases)
    func off(kind: SocketKind) throws {
        let socket = try Socket(kind, context: Fixture.context)
        #expect(try socket.read(ZMQ_CONFLATE, name: "conflate") == 0)
    }

    @Test("with CONFLATE libzmq keeps only the last message of two topics")
    func on() throws {
        let pull = try Socket(.pull, context: Fixture.context)
        let push = try Socket(.push, context: Fixture.context)
        for socket in [pull, push] { try socket.set(ZMQ_CONFLATE, to: 1, name: "conflate") }
        let endpoint = try Fixture.inproc()
        try pull.bind(endpoint)
        try push.connect(endpoint)
        #expect(try push.send(Array("oslo 7".utf8)) == .sent)
        #expect(try push.send(Array("rome 21".utf8)) == .sent)
        #expect(try pull.next() == [Array("rome 21".utf8)])
        var frames = Frames()
        #expect(try !pull.receive(into: &frames))
    }
}
