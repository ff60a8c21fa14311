import CZMQ
import Testing

@testable import Bus

@Suite("Hazard: mechanisms and transports whose crashes were fixed later")
struct MechanismTests {
    @Test("sockets of every kind use the mechanism NULL", arguments: SocketKind.allCases)
    func mechanism(kind: SocketKind) throws {
        let socket = try Socket(kind, context: Fixture.context)
        #expect(try socket.read(ZMQ_MECHANISM, name: "mechanism") == ZMQ_NULL)
    }

    @Test(
        "transports other than tcp, ipc and inproc are refused",
        arguments: [
            "ws://127.0.0.1:1", "wss://127.0.0.1:1", "pgm://eth0;239.192.1.1:1", "epgm://eth0;239.192.1.1:1",
            "norm://1,eth0;239.192.1.1:1", "tipc://{1,1,1}", "vmci://1:1", "udp://127.0.0.1:1",
        ])
    func transport(text: String) {
        expectError(.invalidEndpoint) { try Endpoint(text) }
    }
}
