import FleetProtocol
import Glibc
import ProcessSupport
import UserText

/// The keyboard, for passwords that are typed without echo.
struct Keyboard: Sendable {
    /// More than the longest password has, with a byte order mark; further bytes are dropped.
    private static let lineBytes = Limits.passwordBytes + 4

    let descriptor: Int32

    /// Reads a line without echo, up to Enter; nil after Ctrl-C or Ctrl-D. It blocks the thread, so it is
    /// only for a command that has nothing else to do. It calls `prompt` once the echo is off.
    func readPassword(_ prompt: () -> Void) throws(CommandFailure) -> String? {
        guard TerminalMode.silent.enter(on: descriptor) else { throw Self.failure }
        prompt()
        let typed = readEntry()
        guard TerminalMode.restore() else { throw Self.failure }
        return typed
    }

    /// Reads the first line of standard input, for a piped password; it blocks the thread.
    func readLineOfInput() -> String? {
        var line: [UInt8] = []
        while let byte = readByte() {
            guard byte != UInt8(ascii: "\n") else { return WrittenText.firstLine(of: line) }
            if line.count <= Self.lineBytes { line.append(byte) }
        }
        return line.isEmpty ? nil : WrittenText.firstLine(of: line)
    }

    private func readEntry() -> String? {
        var entry = PasswordEntry()
        while true {
            switch entry.step(readByte() ?? PasswordEntry.endOfInput) {
            case .more: continue
            case .done(let text): return text
            case .givenUp: return nil
            }
        }
    }

    /// The next byte; nil at the end of the input.
    private func readByte() -> UInt8? {
        var byte: UInt8 = 0
        return uninterrupted { read(descriptor, &byte, 1) } == 1 ? byte : nil
    }

    private static var failure: CommandFailure {
        CommandFailure(
            .refused, "cannot ask for a password: standard input is not a terminal",
            advice: "pipe the password in, with --password-stdin")
    }
}

/// A password that is being typed, byte by byte.
struct PasswordEntry: Sendable {
    enum Progress: Equatable, Sendable {
        case more
        case done(String)
        case givenUp
    }

    /// The byte of Ctrl-D, also used for the end of a pipe.
    static let endOfInput: UInt8 = 4

    private var bytes: [UInt8] = []

    /// Handles a byte as terminals send it, with the usual meaning of Backspace, Ctrl-U, Ctrl-C, Ctrl-D and
    /// Enter. Bytes beyond one more than the longest password are dropped: its length is refused in any case.
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
