import Bus
import Testing

@Suite("Hazard: a second bind takes an ipc path from the first")
struct StolenPathTests {
    @Test("libzmq lets it, and whoever connects from then on meets the second")
    func takenOver() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let first = try Socket(.pull, context: Fixture.context)
        let second = try Socket(.pull, context: Fixture.context)
        try first.bind(endpoint)
        try second.bind(endpoint)
        let push = try Socket(.push, context: Fixture.context)
        try push.connect(endpoint)
        #expect(try push.sendWaiting([[1]]) == .sent)
        #expect(try second.next() == [[1]])
        var frames = Frames()
        #expect(try !first.receive(into: &frames))
    }

    @Test("a socket whose path was taken over leaves the new file alone")
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

    @Test("a tcp port that is taken stays with the first")
    func port() throws {
        let (first, endpoint) = try Fixture.bound(.pull)
        let second = try Socket(.pull, context: Fixture.context)
        let error = #expect(throws: BusError.self) { try second.bind(endpoint) }
        #expect(error?.code == .addressInUse)
        #expect(!first.isClosed)
    }
}
