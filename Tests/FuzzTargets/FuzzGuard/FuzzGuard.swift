import CGuard
public import FuzzSupport

/// The connection guard: the frames that it reads of peers, and the connections that it counts.
public enum FuzzGuard {
    /// Its targets.
    public static let targets = [
        FuzzTarget("zmtp") { input, heap in
            guard let first = input.first, input.count > 1 else { return }
            var bounds = guard_bounds()
            bounds.is_encrypted = first & 1 != 0
            bounds.partial_bytes = [0, 300, 1 << 17][Int(first >> 1) % 3]
            try follow(Array(input.dropFirst(2)), inPiecesOf: Int(input[1]), bounds, heap)
        },
        FuzzTarget("guard") { input, _ in try GuardedSocket.run(input) },
    ]

    /// Reads a connection in pieces of a size, and expects the result of a reader of whole frames.
    private static func follow(
        _ bytes: [UInt8], inPiecesOf pieceBytes: Int, _ bounds: guard_bounds, _ heap: HeapMeter
    ) throws {
        var (bounds, reading, isAllowed) = (bounds, CGuard.reading(), true)
        defer { frames_clear(&reading) }
        _ = try heap.decode(bytes) { bytes in
            frames_clear(&reading)
            (reading, isAllowed) = (CGuard.reading(), true)
            var rest = bytes[...]
            while !rest.isEmpty, isAllowed {
                let piece = pieceBytes == 0 ? rest : rest.prefix(pieceBytes)
                isAllowed = piece.withUnsafeBufferPointer {
                    frames_follow(&reading, &bounds, $0.baseAddress, $0.count)
                }
                rest = rest.dropFirst(piece.count)
            }
        }
        let expected = WholeFrames(bytes, bounds)
        guard isAllowed == expected.areAllowed, reading.messages == expected.content.messages.count,
            reading.message_bytes == expected.content.messages.reduce(0, +)
        else {
            throw FuzzTarget.Violation(
                "allowed: \(isAllowed), \(reading.messages) messages of \(reading.message_bytes) bytes; "
                    + "expected: \(expected)")
        }
        guard !isAllowed || bounds.partial_bytes == 0 || reading.bytes <= bounds.partial_bytes else {
            throw FuzzTarget.Violation("\(reading.bytes) bytes of an incomplete message")
        }
    }
}
