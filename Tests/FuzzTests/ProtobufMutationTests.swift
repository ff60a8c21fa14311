import FleetProtocol
import FuzzSupport
import Testing

@Suite("Mutations of protobuf messages")
struct ProtobufMutationTests {
    /// Field 1 is 300; field 2 is a message whose field 1 is "ab"; field 3 has eight bytes.
    private static let message: [UInt8] = [
        0x08, 0xac, 0x02, 0x12, 0x04, 0x0a, 0x02, 0x61, 0x62, 0x19, 1, 2, 3, 4, 5, 6, 7, 8,
    ]

    private static func mutations(_ message: [UInt8], _ count: UInt64) -> Set<[UInt8]> {
        Set(
            (0..<count).map { seed in
                var mutation = ProtobufMutation(random: SeededGenerator(seed: seed)) { $0 + [0x7a] }
                return mutation.mutated(message)
            })
    }

    @Test("a mutation removes, repeats, moves, renumbers and changes fields, and lengths stay correct")
    func fields() {
        let mutations = Self.mutations(Self.message, 3_000)
        let (first, second, third) = (
            Array(Self.message[..<3]), Array(Self.message[3..<9]), Array(Self.message[9...])
        )
        #expect(mutations.contains(first + third))
        #expect(mutations.contains(first + second + second + third))
        #expect(mutations.contains(second + first + third))
        #expect(mutations.contains(first + [0x22] + second.dropFirst() + third))
        #expect(mutations.contains([0x08, 0xad, 0x02] + second + third))
        // The string within the message is one byte longer, and so is the message.
        #expect(mutations.contains(first + [0x12, 0x05, 0x0a, 0x03, 0x61, 0x62, 0x7a] + third))
    }

    @Test("bytes that are not a message are mutated as bytes")
    func bytes() {
        #expect(Self.mutations([0x0a, 0x05, 1], 10) == [[0x0a, 0x05, 1, 0x7a]])
    }
}
