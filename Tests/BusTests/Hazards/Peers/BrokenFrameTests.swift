import CZMQ
import Glibc
import RawPeers
import Testing

@testable import Bus

/// libzmq ends a process here, so each test runs in its own process.
@Suite("Hazard: a monitor of broken frames ends the process", .timeLimit(.minutes(1)))
struct BrokenFrameTests {
    @Test("with our monitor, a connection that repeats a frame is ended, and others are served")
    func served() async {
        await #expect(processExitsWith: .success) {
            let site = try Self.site()
            let monitor = try site.socket.monitor()
            try Self.repeatFrame(to: site)
            var events: [ConnectionEvent] = []
            try awaitThat {
                while let event = try monitor.next() { events.append(event.event) }
                return events.contains(.disconnected)
            }
            let client = try site.client(.dealer)
            #expect(try client.sendWaiting([[2]]) == .sent)
            #expect(try site.socket.nextFromPeer().frames == [[1]])
            #expect(try site.socket.nextFromPeer().frames == [[2]])
        }
    }

    @Test("with libzmq's monitor of all events, a connection that repeats a frame ends the process")
    func ended() async {
        await #expect(processExitsWith: .signal(SIGABRT)) {
            let site = try Self.site()
            let reports = try Socket(.pair, context: Fixture.context)
            #expect(zmq_socket_monitor(site.socket.handle, "inproc://reports", ZMQ_EVENT_ALL) == 0)
            try reports.connect(.inproc("reports"))
            try Self.repeatFrame(to: site)
            // The next heartbeat is written to the broken connection.
            try awaitThat { site.socket.isClosed }
        }
    }

    private static func site() throws -> BoundedSocket {
        try BoundedSocket(.router, ConnectionBounds(connections: 8), over: .tcp, keys: .generate()) {
            $0.heartbeat = .init(interval: .milliseconds(500), timeout: .seconds(5), timeToLive: .seconds(5))
        }
    }

    /// Sends a message, then the same bytes once more, and closes.
    private static func repeatFrame(to site: BoundedSocket) throws {
        let peer = try site.encryptedPeer()
        let frame = peer.frame([1])
        // libzmq reports without a look at its commands, which loses the error, if it has just done so.
        poll(nil, 0, 50)
        try peer.connection.write(frame + frame)
        // Long enough for both to be read.
        poll(nil, 0, 200)
    }
}
