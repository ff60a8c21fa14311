import Bus
import FleetProtocol
import ProcessSupport
import Testing

extension EndToEnd {
    /// Several messages in one frame on `clients`.
    @Suite("Batches of requests", .timeLimit(.minutes(1)))
    struct BatchTests {
        /// A frame with the replies to some requests.
        private struct Received {
            let isBatch: Bool
            var replies: [ClientReply] = []
            var correlations: [UInt64] { replies.map(\.correlation) }
        }

        /// A connection to `clients` of a kind of socket.
        private final class Peer {
            let socket: Socket
            private var frames = Frames()

            init(_ kind: SocketKind, _ lab: Lab, _ context: Context) throws {
                var options = SocketOptions.defaults(for: kind)
                options.receiveTimeout = .seconds(10)
                socket = try Socket(kind, context: context, options: options)
                try socket.connect(Endpoint.ipc(path: lab.file("clients.sock")))
            }

            func send(_ frame: [UInt8]) throws { _ = try socket.sendWaiting([[], frame]) }

            /// Sends several messages in one frame.
            func send(batch messages: [[UInt8]]) throws {
                var writer = FrameWriter()
                for message in messages { #expect(writer.append(message) == nil) }
                let frame = writer.finish()
                try send(try #require(frame))
            }

            func receive() throws -> Received {
                try #require(try socket.receiveWaiting(into: &frames) && frames.count == 2)
                let frame = ReceivedFrame(frames.array(at: 1))
                var received = Received(isBatch: frame.isBatch)
                frame.forEach { place throws(WireError) in
                    received.replies.append(try ClientReply(wireBytes: frame.bytes, in: place))
                } refuse: {
                    Issue.record($0)
                }
                return received
            }
        }

        /// Calls a function with a dealer at `clients` of a fleet, and its user's token.
        private static func withPeer(_ body: (Lab, Context, Peer, Token) async throws -> Void) async throws {
            try await Lab.withFleet { lab in
                let context = try Context()
                defer { context.terminate() }
                let peer = try Peer(.dealer, lab, context)
                defer { peer.socket.close() }
                try await body(
                    lab, context, peer, try StoredSession.read(from: lab.file("session.json")).token)
            }
        }

        @Test(
            "a batch is answered by a batch; malformed requests in it, and one beyond its bound, are refused")
        func batches() async throws {
            try await Self.withPeer { _, _, peer, token in
                let requests = [UInt64(1), 2, 4].map {
                    ClientRequest(correlation: $0, token: token, body: .status).wireBytes
                }
                // A request without a body.
                let malformed: [UInt8] = [0x08, 0x01, 0x10, 0x03]
                try peer.send(batch: [requests[0], requests[1], malformed, requests[2]])
                let received = try peer.receive()
                #expect(received.isBatch && received.correlations == [1, 2, 3, 4])
                for reply in received.replies {
                    switch reply.body {
                    case .status: #expect(reply.correlation != 3)
                    case .refusal(.invalid): #expect(reply.correlation == 3)
                    default: Issue.record("\(reply)")
                    }
                }
                try peer.send([UInt8]((0...Limits.batchMessages).flatMap { _ in [0x4a, 0x02, 0x08, 0x01] }))
                let refused = try peer.receive()
                #expect(refused.correlations == [0])
                #expect(refused.replies[0].body == .refusal(.invalid("batch: expected at most 64 messages")))
            }
        }

        @Test("toggles in a batch are applied once, and requests in frames of their own are answered alone")
        func toggles() async throws {
            try await Self.withPeer { lab, context, peer, token in
                let before = try await lab.devices()
                let requests = try before.enumerated().map { index, device in
                    let command = Command(
                        requestID: try #require(RequestID(Lab.requestID())),
                        device: try #require(DeviceID(device.id)), kind: .toggle)
                    return ClientRequest(
                        correlation: UInt64(index + 1), token: token, body: .command(command)
                    ).wireBytes
                }
                try peer.send(batch: requests)
                var replies: [ClientReply] = []
                while replies.count < requests.count { replies += try peer.receive().replies }
                #expect(Set(replies.map(\.correlation)) == Set(1...UInt64(requests.count)))
                for reply in replies {
                    guard case .outcome(let report) = reply.body, case .applied = report.outcome else {
                        Issue.record("\(reply)")
                        continue
                    }
                }
                #expect(try await lab.devices().map(\.version) == before.map { $0.version + 1 })

                let who = { ClientRequest(correlation: $0, token: token, body: .who).wireBytes }
                for correlation in UInt64(1)...2 { try peer.send(who(correlation)) }
                try peer.send(batch: [who(3), who(4)])
                try peer.send(who(5))
                let received = try (1...4).map { _ in try peer.receive() }
                #expect(received.map(\.isBatch) == [false, false, true, false])
                #expect(received.map(\.correlations) == [[1], [2], [3, 4], [5]])

                let requester = try Peer(.req, lab, context)
                defer { requester.socket.close() }
                _ = try requester.socket.sendWaiting([who(7)])
                var frames = Frames()
                try #require(try requester.socket.receiveWaiting(into: &frames))
                let alone = try ClientReply(wireBytes: frames.array(at: 0))
                #expect(frames.count == 1 && alone.correlation == 7)
                #expect(alone.wireBytes == frames.array(at: 0))
            }
        }
    }
}
