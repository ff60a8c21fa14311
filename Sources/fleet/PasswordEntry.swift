import FleetProtocol

/// A password while it is typed, byte by byte.
struct PasswordEntry: Sendable {
    /// What a byte led to.
    enum Progress: Equatable, Sendable {
        /// More is to come.
        case more
        /// That is the password.
        case done(String)
        /// There will be none.
        case givenUp
    }

    /// The byte of Ctrl-D, and of a pipe's end.
    static let endOfInput: UInt8 = 4

    private var bytes: [UInt8] = []

    /// Takes a byte as terminals send it: Backspace, Ctrl-U, Ctrl-C, Ctrl-D and Enter do what they are for.
    ///
    /// Bytes above one more than a password may have are dropped: it is refused for its length anyway.
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

    /// UTF-8: the bytes after a character's first begin with the bits 10.
    private mutating func removeLastCharacter() {
        while let last = bytes.popLast(), last & 0b1100_0000 == 0b1000_0000 {}
    }
}
