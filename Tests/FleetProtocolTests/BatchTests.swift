import FleetProtocol
import Testing

@Suite("Batches")
struct BatchTests {
    private static func request(_ correlation: UInt64, name: String = "") -> ClientRequest {
        ClientRequest(
            correlation: correlation, token: nil, body: name.isEmpty ? .status : .scenario(name, beganAt: nil)
        )
    }

    /// Joins messages into frames.
    private static func frames(_ messages: [[UInt8]]) -> [[UInt8]] {
        var (writer, frames): (FrameWriter, [[UInt8]]) = (FrameWriter(), [])
        for message in messages {
            if let full = writer.append(message) { frames.append(full) }
        }
        if let last = writer.finish() { frames.append(last) }
        return frames
    }

    /// The messages and the errors of a frame, in order.
    private static func read(_ bytes: [UInt8]) -> [Result<ClientRequest, WireError>] {
        var results: [Result<ClientRequest, WireError>] = []
        let frame = ReceivedFrame(bytes)
        frame.forEach { place throws(WireError) in
            results.append(.success(try ClientRequest(wireBytes: frame.bytes, in: place)))
        } refuse: {
            results.append(.failure($0))
        }
        return results
    }

    @Test("a frame with one message has the bytes of the message", arguments: [0, 60_000, 65_536])
    func single(length: Int) {
        let bytes = Self.request(7).wireBytes + [UInt8](repeating: 0, count: length)
        #expect(Self.frames([bytes]) == [bytes])
        #expect(!ReceivedFrame(bytes).isBatch)
    }

    @Test("without messages there is no frame")
    func empty() {
        var writer = FrameWriter()
        #expect(writer.finish() == nil)
        #expect(writer.append(Self.request(1).wireBytes) == nil)
        #expect(writer.finish() == Self.request(1).wireBytes)
        #expect(writer.finish() == nil)
    }

    @Test("messages in a batch are those that protobuf reads, in order")
    func reference() async throws {
        let requests = (1...9).map { Self.request($0, name: String(repeating: "x", count: Int($0) * 40)) }
        let frames = Self.frames(requests.map(\.wireBytes))
        try #require(frames.count == 1)
        #expect(ReceivedFrame(frames[0]).isBatch)
        #expect(try Self.read(frames[0]).map { try $0.get() } == requests)
        let readings = try await ProtobufReference.read([("ClientRequestBatch", frames[0])])
        let reading = try #require(readings[0])
        let correlations = reading.lines.filter { $0.hasPrefix("  correlation: ") }
        #expect(correlations == requests.map { "  correlation: \($0.correlation)" })
        #expect(reading.bytes == frames[0])
    }

    @Test("a batch of one message is read as a batch")
    func one() {
        let message = Self.request(5).wireBytes
        let bytes = [0x4a, UInt8(message.count)] + message
        #expect(ReceivedFrame(bytes).isBatch)
        #expect(Self.read(bytes) == [.success(Self.request(5))])
    }

    @Test("more messages than a batch may have leave in several frames")
    func manyMessages() throws {
        let requests = (0..<UInt64(2 * Limits.batchMessages + 1)).map { Self.request($0) }
        let frames = Self.frames(requests.map(\.wireBytes))
        let counts = frames.map { Self.read($0).count }
        #expect(counts == [Limits.batchMessages, Limits.batchMessages, 1])
        #expect(try frames.flatMap(Self.read).map { try $0.get() } == requests)
        #expect(frames[2] == requests.last?.wireBytes)
    }

    @Test(
        "no frame of several messages is longer than a batch may be",
        arguments: [1, 100, 127, 128, 4_000, 8_192, 16_000, 16_300])
    func longMessages(length: Int) throws {
        let messages = (0..<UInt64(20)).map { number in
            let padding = [0x4a, UInt8(length & 0x7f) | 0x80, UInt8(length >> 7)]
            return Self.request(number).wireBytes + padding + [UInt8](repeating: 1, count: length)
        }
        let frames = Self.frames(messages)
        #expect(frames.allSatisfy { $0.count <= Limits.batchBytes })
        #expect(try frames.flatMap(Self.read).map { try $0.get().correlation } == Array(0..<20))
        // Each frame is full: the first message of the next has no space.
        for (frame, next) in zip(frames, frames.dropFirst()) where Self.read(frame).count > 1 {
            let first = try #require(try? Self.read(next).first?.get().correlation)
            #expect(frame.count + messages[Int(first)].count + 4 > Limits.batchBytes)
        }
    }

    @Test("a message as long as a frame leaves alone, in its place")
    func longAlone() {
        let (short, long) = (Self.request(1).wireBytes, [UInt8](repeating: 8, count: Limits.chunkBytes))
        #expect(Self.frames([short, long, short]) == [short, long, short])
    }

    @Test("a malformed message is refused with its correlation, and the others count")
    func malformed() throws {
        let withoutBody: [UInt8] = [0x08, 0x01, 0x10, 0x2a]
        let frames = Self.frames([Self.request(1).wireBytes, withoutBody, [0xff], Self.request(2).wireBytes])
        let results = Self.read(try #require(frames.first))
        try #require(results.count == 4)
        #expect(results[0] == .success(Self.request(1)))
        #expect(throws: WireError.self) { try results[1].get() }
        if case .failure(let error) = results[1] { #expect(error.correlation == 42) }
        if case .failure(let error) = results[2] { #expect(error.problem == .notDecodable) }
        #expect(results[3] == .success(Self.request(2)))
    }

    @Test("a batch within a batch is refused, and the messages around it count")
    func nested() throws {
        let inner = try #require(Self.frames([Self.request(1).wireBytes, Self.request(2).wireBytes]).first)
        let frame = try #require(Self.frames([Self.request(3).wireBytes, inner]).first)
        let results = Self.read(frame)
        try #require(results.count == 2)
        #expect(results[0] == .success(Self.request(3)))
        if case .failure(let error) = results[1] { #expect(error.problem == .version(0)) }
        #expect(throws: WireError.self) { try results[1].get() }
    }

    @Test(
        "a batch beyond a bound, or a damaged one, is refused as a whole",
        arguments: [
            (
                (0...Limits.batchMessages).flatMap { _ in [0x4a, 0x02, 0x08, 0x01] as [UInt8] },
                WireError.Problem.malformed(field: "batch", expected: "at most 64 messages")
            ),
            (
                [0x4a, 0x00] + [UInt8](repeating: 0, count: Limits.batchBytes),
                .tooLong(bytes: Limits.batchBytes + 2, limit: Limits.batchBytes)
            ),
            ([0x4a, 0x02, 0x08, 0x01, 0x4a, 0x03, 0x08, 0x01], .notDecodable),
            ([0x4a], .notDecodable),
        ])
    func refused(bytes: [UInt8], problem: WireError.Problem) {
        let results = Self.read(bytes)
        #expect(results.count == 1)
        if case .failure(let error)? = results.first {
            #expect(error.problem == problem)
            #expect(error.correlation == 0)
        }
        #expect(throws: WireError.self) { try results.first?.get() }
    }

    @Test("no message of the sockets has the field of batches")
    func reservedField() throws {
        let schema = try ProtoSchema.shared.get()
        for name in ["ClientRequest", "ClientReply", "NodeMessage", "ControllerMessage"] {
            #expect(try #require(schema.messages[name])[9] == nil, "\(name)")
            #expect(try #require(schema.messages["\(name)Batch"]).keys.elementsEqual([9]), "\(name)")
        }
    }
}
