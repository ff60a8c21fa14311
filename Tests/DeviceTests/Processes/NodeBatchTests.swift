import Bus
import DeviceCore
import FleetProtocol
import Logging
import ProcessSupport
import TestSupport
import Testing
import UserFiles

@testable import device_sim

@Suite("Batches to and from a node", .timeLimit(.minutes(1)))
struct NodeBatchTests {
    /// A node's sockets on the thread of a loop.
    private actor Host {
        private let loop: Loop
        private var server: NodeServer?

        nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }

        init(on loop: Loop) { self.loop = loop }

        func serve(in directory: RunDirectory) throws {
            let clock = SystemClock()
            let configuration = NodeConfiguration(
                name: .first, account: .demo, devices: 3, scenario: try ScenarioChoice("quiet").scenario)
            let node = Node(
                configuration, bootID: BootID(bits: 7), incarnations: SystemRandomNumberGenerator(),
                at: clock.now())
            let server = try NodeServer(
                node: node, memory: nil, connection: FleetConnection(of: directory, as: nil), cells: nil,
                loop: loop, clock: clock, logger: Logger(label: "node"))
            try server.serve(watching: ParentWatch(expectedParent: nil))
            self.server = server
        }

        func end() throws {
            server?.close()
            try server?.checkEnd()
        }
    }

    /// The controller's end of the sockets.
    private struct Peer {
        let devices: Socket
        let telemetry: Socket

        init(in directory: RunDirectory, _ context: Context) throws {
            var options = SocketOptions.defaults(for: .router)
            options.receiveTimeout = .seconds(10)
            devices = try Socket(.router, context: context, options: options)
            try devices.bind(try directory.endpoint(.devices))
            telemetry = try Socket(.sub, context: context)
            try telemetry.bind(try directory.endpoint(.telemetry))
        }

        /// Receives a frame, and returns its messages without heartbeats and hellos.
        func receive() throws -> (peer: [UInt8], isBatch: Bool, messages: [NodeMessage.Body]) {
            var frames = Frames()
            try #require(try devices.receiveWaiting(into: &frames))
            let frame = ReceivedFrame(frames.array(at: 1))
            var messages: [NodeMessage.Body] = []
            frame.forEach { place throws(WireError) in
                let body = try NodeMessage(wireBytes: frame.bytes, in: place).body
                switch body {
                case .hello, .ping: break
                case .result, .rows, .leaving, .done, .faults: messages.append(body)
                }
            } refuse: {
                Issue.record($0)
            }
            return (frames.array(at: 0), frame.isBatch, messages)
        }

        func end() {
            devices.close()
            telemetry.close()
        }
    }

    @Test("the replies to a batch leave in one frame, and a malformed message in it does not harm the others")
    func batch() async throws {
        let temporary = try TemporaryDirectory()
        let directory = RunDirectory(path: temporary.path)
        try directory.create()
        let context = try Context()
        defer { context.terminate() }
        try await Loop.withThread(name: "node") { loop in
            let host = Host(on: loop)
            let peer = try Peer(in: directory, context)
            try await host.serve(in: directory)
            let hello = try peer.receive()
            #expect(!hello.isBatch)
            var writer = FrameWriter()
            for body in [.listFaults(OrderID(bits: 1)), nil, .heal(OrderID(bits: 2), devices: [])]
                as [ControllerMessage.Body?]
            {
                let bytes = body.map { ControllerMessage(epoch: Epoch(1), body: $0).wireBytes } ?? [0xff]
                #expect(writer.append(bytes) == nil)
            }
            let batch = writer.finish()
            #expect(try peer.devices.sendWaiting([hello.peer, try #require(batch)]) == .sent)
            var replies = try peer.receive()
            // A node repeats its hello until it has a reply.
            while replies.messages.isEmpty { replies = try peer.receive() }
            #expect(replies.isBatch)
            #expect(
                replies.messages == [
                    .faults(OrderID(bits: 1), FaultList()), .done(OrderID(bits: 2), devices: 0),
                ])
            try await host.end()
            peer.end()
        }
    }
}
