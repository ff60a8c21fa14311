import Bus
import FleetProtocol
import ProcessSupport
import Testing

extension EndToEnd {
    /// Several messages in one frame on `clients`.
    @Suite("Batches of requests")
    struct BatchTests {
        /// A frame with the replies to some requests.
        private struct Received {
            let isBatch: Bool
            var replies: [ClientReply] = []
        }

        private static func socket(_ kind: SocketKind, _ lab: Lab, _ context: Context) throws -> Socket {
            var options = SocketOptions.defaults(for: kind)
            options.receiveTimeout = .seconds(10)
            let socket = try Socket(kind, context: context, options: options)
            try socket.connect(Endpoint.ipc(path: lab.file("clients.sock")))
            return socket
        }

        private static func batch(_ messages: [[UInt8]]) throws -> [UInt8] {
            var writer = FrameWriter()
            for message in messages { #expect(writer.append(message) == nil) }
            let frame = writer.finish()
            return try #require(frame)
        }

        private static func receive(_ frame: [UInt8]) -> Received {
            let frame = ReceivedFrame(frame)
            var received = Received(isBatch: frame.isBatch)
            frame.forEach { place throws(WireError) in
                received.replies.append(try ClientReply(wireBytes: frame.bytes, in: place))
            } refuse: {
                Issue.record($0)
            }
            return received
        }

        @Test(
            "a batch of requests is answered by a batch, and a malformed one among them alone is refused",
            .timeLimit(.minutes(1)))
        func batches() async throws {
            try await Lab.withFleet { lab in
                let token = try StoredSession.read(from: lab.file("session.json")).token
                let context = try Context()
                defer { context.terminate() }
                let dealer = try Self.socket(.dealer, lab, context)
                defer { dealer.close() }
                let requests = [UInt64(1), 2, 4].map {
                    ClientRequest(correlation: $0, token: token, body: .status).wireBytes
                }
                // A request without a body.
                let malformed: [UInt8] = [0x08, 0x01, 0x10, 0x03]
                let frame = try Self.batch([requests[0], requests[1], malformed, requests[2]])
                _ = try dealer.sendWaiting([[], frame])
                var frames = Frames()
                try #require(try dealer.receiveWaiting(into: &frames))
                let received = Self.receive(frames.array(at: 1))
                #expect(frames.count == 2 && received.isBatch)
                #expect(received.replies.map(\.correlation) == [1, 2, 3, 4])
                for reply in received.replies {
                    switch reply.body {
                    case .status: #expect(reply.correlation != 3)
                    case .refusal(.invalid): #expect(reply.correlation == 3)
                    default: Issue.record("\(reply)")
                    }
                }
            }
        }

        @Test("toggles in a batch are applied, each once", .timeLimit(.minutes(1)))
        func toggles() async throws {
            try await Lab.withFleet { lab in
                let token = try StoredSession.read(from: lab.file("session.json")).token
                let before = try await lab.devices()
                let context = try Context()
                defer { context.terminate() }
                let dealer = try Self.socket(.dealer, lab, context)
                defer { dealer.close() }
                let requests = try before.enumerated().map { index, device in
                    let command = Command(
                        requestID: try #require(RequestID(Lab.requestID())),
                        device: try #require(DeviceID(device.id)), kind: .toggle)
                    return ClientRequest(
                        correlation: UInt64(index + 1), token: token, body: .command(command)
                    ).wireBytes
                }
                _ = try dealer.sendWaiting([[], try Self.batch(requests)])
                var frames = Frames()
                var replies: [ClientReply] = []
                while replies.count < requests.count {
                    try #require(try dealer.receiveWaiting(into: &frames))
                    replies += Self.receive(frames.array(at: 1)).replies
                }
                #expect(Set(replies.map(\.correlation)) == Set(1...UInt64(requests.count)))
                for reply in replies {
                    guard case .outcome(let report) = reply.body, case .applied = report.outcome else {
                        Issue.record("\(reply)")
                        continue
                    }
                }
                let after = try await lab.devices()
                #expect(after.map(\.version) == before.map { $0.version + 1 })
            }
        }

        @Test(
            "requests that are frames of their own are answered alone, also with batches on the connection",
            .timeLimit(.minutes(1)))
        func single() async throws {
            try await Lab.withFleet { lab in
                let token = try StoredSession.read(from: lab.file("session.json")).token
                let context = try Context()
                defer { context.terminate() }
                let (requester, dealer) = (
                    try Self.socket(.req, lab, context), try Self.socket(.dealer, lab, context)
                )
                defer { for socket in [requester, dealer] { socket.close() } }
                var frames = Frames()
                let who = { ClientRequest(correlation: $0, token: token, body: .who).wireBytes }
                _ = try requester.sendWaiting([who(7)])
                try #require(try requester.receiveWaiting(into: &frames))
                #expect(frames.count == 1)
                let alone = try ClientReply(wireBytes: frames.array(at: 0))
                #expect(alone.correlation == 7)
                #expect(alone.wireBytes == frames.array(at: 0))
                for correlation in UInt64(1)...2 { _ = try dealer.sendWaiting([[], who(correlation)]) }
                _ = try dealer.sendWaiting([[], try Self.batch([who(3), who(4)])])
                _ = try dealer.sendWaiting([[], who(5)])
                var received: [Received] = []
                for _ in 1...4 {
                    try #require(try dealer.receiveWaiting(into: &frames))
                    received.append(Self.receive(frames.array(at: 1)))
                }
                #expect(received.map(\.isBatch) == [false, false, true, false])
                #expect(received.map { $0.replies.map(\.correlation) } == [[1], [2], [3, 4], [5]])
            }
        }

        @Test("a batch beyond its bound is refused as a whole", .timeLimit(.minutes(1)))
        func bound() async throws {
            try await Lab.withFleet { lab in
                let context = try Context()
                defer { context.terminate() }
                let dealer = try Self.socket(.dealer, lab, context)
                defer { dealer.close() }
                let frame = [UInt8]((0...Limits.batchMessages).flatMap { _ in [0x4a, 0x02, 0x08, 0x01] })
                _ = try dealer.sendWaiting([[], frame])
                var frames = Frames()
                try #require(try dealer.receiveWaiting(into: &frames))
                let reply = try ClientReply(wireBytes: frames.array(at: 1))
                #expect(reply.correlation == 0)
                #expect(reply.body == .refusal(.invalid("batch: expected at most 64 messages")))
            }
        }
    }
}
