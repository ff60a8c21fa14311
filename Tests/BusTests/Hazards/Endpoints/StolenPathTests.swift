import Bus
import Testing

@Suite("Hazard: a second bind takes an ipc path from the first")
struct StolenPathTests {
    @Test("libzmq allows a second bind to an ipc path, and later clients connect to the second socket")
    func takenOver() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let first = try Socket(.pull, context: Fixture.context)
        let second = try Socket(.pull, context: Fixture.context)
        try first.bind(endpoint)
        try second.bind(endpoint)
        let push = try Fixture.socket(.push, connectedTo: endpoint)
        #expect(try push.sendWaiting([[1]]) == .sent)
        #expect(try second.next() == [[1]])
        var frames = Frames()
        #expect(try !first.receive(into: &frames))
    }

    @Test("a socket whose path was taken over does not remove the new file")
    func fileLeftAlone() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let first = try Socket(.pull, context: Fixture.context)
        let second = try Socket(.pull, context: Fixture.context)
        try first.bind(endpoint)
        try second.bind(endpoint)
        first.close()
        #expect(directory.names == ["socket"])
    }

    @Test("a tcp port in use stays with the first socket")
    func port() throws {
        let (first, endpoint) = try Fixture.bound(.pull)
        let second = try Socket(.pull, context: Fixture.context)
        expectError(.addressInUse) { try second.bind(endpoint) }
        #expect(!first.isClosed)
    }
}
