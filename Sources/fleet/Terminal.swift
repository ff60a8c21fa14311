import FleetProtocol
import Glibc
import ProcessSupport
import Synchronization
import UserText

struct Terminal: Sendable {
    /// Whether it is a terminal with cursor control: not `dumb`, and without `NO_COLOR`.
    var canDraw: Bool
    /// The width of the terminal in columns; nil where lines cannot be replaced: standard output or error is
    /// no terminal, or it is `dumb`, or `NO_COLOR` is set.
    var columns: @Sendable () -> Int?
    var print: @Sendable (String) throws(CommandFailure) -> Void
    /// Writes a line on standard error: a remark.
    var notify: @Sendable (String) -> Void
    /// Shows progress on standard error: at a terminal each text, of one line or several, replaces the one
    /// before, and nil removes the last.
    var showProgress: @Sendable (String?) -> Void
    /// Calls the prompt, and reads a line without echo; nil if the user gave up.
    var readPassword: @Sendable (_ prompt: () -> Void) throws(CommandFailure) -> String?
    var readLine: @Sendable () -> String?
    var redirectOutput: @Sendable (_ file: String) throws(CommandFailure) -> Void
}

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

/// Lines at the end of a terminal's output that later ones replace.
struct LiveText: Sendable {
    private var lines: [String] = []

    /// Returns the output that replaces the lines by those of a text; nil removes them. The number of columns
    /// may have changed since the last call.
    mutating func output(replacingWith text: String?, columns: Int) -> String {
        let new = text?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
        guard !(lines.isEmpty && new.isEmpty) else { return "" }
        let start = start(columns)
        lines = new
        return start + Self.joined(lines) + TerminalScreen.clearBelow
    }

    /// Returns the outputs before and after that of others: the lines are removed, and shown again below it.
    func outputs(aroundOthersIn columns: Int) -> (before: String, after: String) {
        lines.isEmpty ? ("", "") : (start(columns) + TerminalScreen.clearBelow, Self.joined(lines))
    }

    private func start(_ columns: Int) -> String {
        let rows = lines.reduce(0) { $0 + max(1, (DisplayWidth.of($1) + columns - 1) / max(1, columns)) }
        return "\r" + (rows > 1 ? "\u{1b}[\(rows - 1)A" : "")
    }

    private static func joined(_ lines: [String]) -> String {
        lines.joined(separator: "\(TerminalScreen.lineEnd)\n")
    }
}

/// The output of a command on a terminal, with live lines at its end.
final class LiveOutput: Sendable {
    private let text = Mutex(LiveText())
    private let columns: @Sendable () -> Int
    private let write: @Sendable (String) -> Void

    init(columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void) {
        (self.columns, self.write) = (columns, write)
    }

    /// Replaces the live lines by those of a text; nil removes them.
    func show(_ new: String?) {
        text.withLock { text in
            let output = text.output(replacingWith: new, columns: columns())
            if !output.isEmpty { write(output) }
        }
    }

    func writeAbove<Failure: Error>(_ others: () throws(Failure) -> Void) throws(Failure) {
        try text.withLock { text throws(Failure) in
            let (before, after) = text.outputs(aroundOthersIn: columns())
            if !before.isEmpty { write(before) }
            try others()
            if !after.isEmpty { write(after) }
        }
    }
}
