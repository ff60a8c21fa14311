import TestSupport
import Testing

@testable import FleetProtocol

/// The product's protobuf decoder, compared with the protobuf rules.
@Suite("FieldReader")
struct FieldReaderTests {
    /// Decodes field 1 of the bytes as a number.
    private func number(_ bytes: [UInt8]) throws -> UInt32 {
        try FieldReader(bytes).firstNumber()
    }

    @Test("unknown fields of any type are skipped")
    func unknown() throws {
        let strangers: [[UInt8]] = [
            [0x10, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            [0x11, 1, 2, 3, 4, 5, 6, 7, 8], [0x15, 1, 2, 3, 4], [0x12, 3, 0x08, 0x09, 0x0a], [0x12, 0],
            [0x13, 0x08, 0x09, 0x1b, 0x08, 0x07, 0x1c, 0x14], [0xf8, 0xff, 0xff, 0xff, 0x0f, 0x01],
        ]
        for stranger in strangers {
            #expect(try number(stranger + [0x08, 5]) == 5)
            #expect(try number([0x08, 5] + stranger) == 5)
        }
    }

    @Test("bytes that are not protobuf are refused, and never read beyond their end")
    func undecodable() {
        let broken: [[UInt8]] = [
            [0x08], [0x80], [0x08, 0x80], [0x00, 0x01], [0x0f, 0x01], [0x0e, 0x01], [0x12, 2, 1], [0x12],
            [0x11, 1, 2, 3, 4, 5, 6, 7], [0x15, 1, 2, 3], [0x14], [0x13], [0x13, 0x1c], [0x13, 0x08],
            [0x12, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            [0x08, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x01],
            [UInt8](repeating: 0x13, count: 200) + [UInt8](repeating: 0x14, count: 200),
        ]
        for bytes in broken {
            #expect(throws: WireError(problem: .notDecodable), "\(bytes)") { try number(bytes) }
        }
    }

    @Test("fields of another type than expected are skipped")
    func otherTypes() throws {
        #expect(try number([0x0d, 1, 2, 3, 4]) == 0)
        #expect(try number([0x0a, 1, 7]) == 0)
        #expect(try FieldReader([0x08, 1]).firstTexts() == ("", ""))
    }

    @Test("numbers are truncated to the width of their type, as in protobuf")
    func cut() throws {
        #expect(try number([0x08, 0x85, 0x80, 0x80, 0x80, 0x10]) == 5)
        #expect(Int32(zigzag: 1 << 32 | 3) == -2)
        for value in [0, -1, 1, Int64.min, .max, 1 << 40] {
            #expect(Int64(zigzag: value.zigzagged) == value)
            #expect(
                Int32(zigzag: Int32(truncatingIfNeeded: value).zigzagged) == Int32(truncatingIfNeeded: value))
        }
    }

    @Test("a truncated part is not completed by the next part", arguments: [[0x08], [0x12, 2, 7]])
    func cutPart(part: [UInt8]) throws {
        let whole: [UInt8] = [0x08, 1]
        for parts in [[part, [5]], [whole, part, [5]], [whole, whole, part, [5]]] {
            let bytes = parts.flatMap { part -> [UInt8] in [0x0a, UInt8(part.count)] + part }
            #expect(throws: WireError(problem: .notDecodable), "a message") {
                _ = try FieldReader(bytes).firstMessage()
            }
            #expect(throws: WireError(problem: .notDecodable), "a choice") {
                _ = try FieldReader(bytes).choice()
            }
        }
    }

    @Test("decoding time is proportional to the number of bytes, in any form", arguments: Shape.allCases)
    func proportion(shape: Shape) async throws {
        let (size, messages) = (1 << 19, 32)
        let (whole, small) = (shape.message(of: size), shape.message(of: size / messages))
        // Quadratic decoding takes 32 times as long in one message as in 32.
        let ratio = try await attempt(until: { $0 < 3 }) {
            let inOne = try ContinuousClock().measure { try shape.read(whole) }
            let inMany = try ContinuousClock().measure { for _ in 0..<messages { try shape.read(small) } }
            return inOne / inMany
        }
        #expect(ratio < 3)
    }

    @Test("the last field of a choice applies")
    func choices() throws {
        let pong = ControllerMessage(epoch: Epoch(7), body: .pong(helloWanted: true))
        let claimsRefused = ControllerMessage(epoch: Epoch(7), body: .claimsRefused([try Given().device]))
        #expect(try ControllerMessage(wireBytes: pong.wireBytes + claimsRefused.wireBytes) == claimsRefused)
        #expect(try ControllerMessage(wireBytes: claimsRefused.wireBytes + pong.wireBytes) == pong)
    }
}
