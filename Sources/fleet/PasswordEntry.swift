import FleetProtocol

/// A password that is being typed, byte by byte.
struct PasswordEntry: Sendable {
    /// The state after a byte.
    enum Progress: Equatable, Sendable {
        /// More bytes are expected.
        case more
        /// The entry is complete, with that password.
        case done(String)
        /// The user gave up.
        case givenUp
    }

    /// The byte of Ctrl-D, also used for the end of a pipe.
    static let endOfInput: UInt8 = 4

    private var bytes: [UInt8] = []

    /// Handles a byte as terminals send it, with the usual meaning of Backspace, Ctrl-U, Ctrl-C, Ctrl-D and
    /// Enter.
    ///
    /// Bytes beyond one more than the longest password are dropped: its length is refused in any case.
    mutating func step(_ byte: UInt8) -> Progress {
        switch byte {
        case UInt8(ascii: "\n"), UInt8(ascii: "\r"): return finished
        case 3: return .givenUp
        case Self.endOfInput: return bytes.isEmpty ? .givenUp : finished
        case 8, 127: removeLastCharacter()
        case 21: bytes = []
        default:
            if bytes.count <= Limits.passwordBytes { bytes.append(byte) }
        }
        return .more
    }

    private var finished: Progress { .done(String(decoding: bytes, as: UTF8.self)) }

    /// Removes a UTF-8 character, whose bytes after the first begin with the bits 10.
    private mutating func removeLastCharacter() {
        while let last = bytes.popLast(), last & 0b1100_0000 == 0b1000_0000 {}
    }
}
