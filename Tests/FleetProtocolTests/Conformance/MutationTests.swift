import ConformanceSupport
import Testing

@testable import FleetProtocol

/// Messages in forms that no encoder writes, compared with how protobuf reads them.
@Suite("Mutated messages")
struct MutationTests {
    /// The number of random messages of each kind.
    private static let count = 400

    @Test("truncated, changed and joined messages decode as protobuf reads them")
    func random() async throws {
        let messages = try ConformanceTests.kinds.enumerated().flatMap { seed, kind in
            var mutated = MutatedMessages(of: try kind.vectors().map(\.bytes), seed: UInt64(seed))
            return (0..<Self.count).map { _ in (type: kind, bytes: mutated.next()) }
        }
        let readings = try await ProtobufReference.rewrite(messages.map { ($0.type.kind, $0.bytes) })
        var (read, refused) = (0, 0)
        for ((type, bytes), reading) in zip(messages, readings) {
            // Protobuf refuses invalid text in a choice that a later one replaces, which is not decoded here.
            guard let reading else { continue }
            read += 1
            if type.isUndecodable(bytes) {
                refused += 1
            } else {
                let isSame = type.isSame(bytes, reading)
                #expect(isSame, "\(type.kind): \(bytes)")
            }
        }
        #expect(read > messages.count / 20)
        // Numbers of fields with more than 32 bits are cut by protobuf 3.21, and refused here.
        #expect(refused <= messages.count / 1_000)
    }

    @Test("a random message that decodes is encoded as protobuf encodes it")
    func encoded() async throws {
        let messages = try ConformanceTests.kinds.enumerated().flatMap { seed, kind in
            var mutated = MutatedMessages(of: try kind.vectors().map(\.bytes), seed: UInt64(seed))
            return (0..<Self.count).compactMap { _ in kind.encodedAgain(mutated.next()) }
                .map { (kind: kind.kind, bytes: $0) }
        }
        #expect(messages.count > 400)
        let readings = try await ProtobufReference.rewrite(messages)
        for (message, reading) in zip(messages, readings) {
            #expect(message.bytes == reading, "\(message.kind)")
        }
    }

    @Test("a message in two parts has the fields of both", arguments: ConformanceTests.kinds.indices)
    func parts(index: Int) throws {
        let kind = ConformanceTests.kinds[index]
        let schema = try ProtoSchema.shared.get()
        for vector in try kind.vectors() {
            let parts = try Dissection(of: vector.bytes, as: kind.kind, in: schema).halves
            let isSame = kind.isSame(parts.first + parts.second, vector.bytes)
            #expect(isSame, "\(kind.kind): \(vector.name)")
        }
    }
}

extension WireMessage where Self: Equatable {
    /// Whether both byte arrays decode to the same message, or are refused for the same reason.
    fileprivate static func isSame(_ one: [UInt8], _ other: [UInt8]) -> Bool {
        decoded(one) == decoded(other)
    }

    /// Whether bytes are refused because they are not protobuf.
    fileprivate static func isUndecodable(_ bytes: [UInt8]) -> Bool {
        guard case .failure(let error) = decoded(bytes) else { return false }
        return error.problem == .notDecodable
    }

    /// The encoding of the message that is decoded from bytes; nil if they are refused.
    static func encodedAgain(_ bytes: [UInt8]) -> [UInt8]? {
        try? decoded(bytes).get().wireBytes
    }

    private static func decoded(_ bytes: [UInt8]) -> Result<Self, WireError> {
        do throws(WireError) {
            return .success(try Self(wireBytes: bytes))
        } catch {
            return .failure(error)
        }
    }
}
