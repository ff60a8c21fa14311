import Glibc
import Testing

@testable import Bus

@Suite("Hazard: the address of a sender over ipc is not empty", .timeLimit(.minutes(1)))
struct SenderAddressTests {
    private static let ofThisProcess = "localhost:\(getuid()):\(getgid()):\(getpid())"

    @Test("over ipc with CURVE, the address has the numbers of the user, group and process")
    func withCurve() throws {
        let directory = try TemporaryDirectory()
        try CurveSite.run(handler: .admitting, at: .ipc(path: directory.path + "/socket")) { site in
            let keys = try CurveKeyPair.generate()
            let socket = try site.connect(as: .client(server: site.keys.publicKey, keys: keys))
            let sender = try site.sender(of: socket)
            #expect(sender?.key == keys.publicKey)
            #expect(sender?.address == Self.ofThisProcess)
            #expect(site.askedAddresses == [Self.ofThisProcess])
        }
    }

    @Test("over ipc without CURVE it has them, too")
    func withoutCurve() throws {
        let directory = try TemporaryDirectory()
        let endpoint = try Endpoint.ipc(path: directory.path + "/socket")
        let router = try Socket(.router, context: Fixture.context)
        let dealer = try Socket(.dealer, context: Fixture.context)
        try router.bind(endpoint)
        try dealer.connect(endpoint)
        #expect(try dealer.sendWaiting([[1]]) == .sent)
        var frames = Frames()
        #expect(try router.receiveWaiting(into: &frames))
        #expect(frames.senderKey == nil && frames.senderAddress == Self.ofThisProcess)
    }
}
