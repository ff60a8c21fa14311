import Glibc
import ProcessSupport

/// The keyboard, where a password is typed without being seen.
struct Keyboard: Sendable {
    /// Standard input.
    let descriptor: Int32

    /// What is typed up to Enter; nil when it was given up with Ctrl-C or Ctrl-D.
    ///
    /// It blocks the thread: for a command that has nothing else to do.
    ///
    /// - Throws: `CommandFailure` when the terminal does not do as it is told.
    func readPassword() throws(CommandFailure) -> String? {
        guard TerminalMode.silent.enter(on: descriptor) else { throw Self.failure }
        let typed = readEntry()
        guard TerminalMode.restore() else { throw Self.failure }
        return typed
    }

    /// The first line of standard input, for passwords that come through a pipe; nil when there is none.
    ///
    /// It blocks the thread.
    func readLineOfInput() -> String? { readEntry() }

    private func readEntry() -> String? {
        var entry = PasswordEntry()
        var byte: UInt8 = 0
        while true {
            let count = read(descriptor, &byte, 1)
            if count < 0 && errno == EINTR { continue }
            switch entry.step(count == 1 ? byte : PasswordEntry.endOfInput) {
            case .more: continue
            case .done(let text): return text
            case .givenUp: return nil
            }
        }
    }

    private static var failure: CommandFailure {
        CommandFailure(
            .refused, "the terminal cannot be kept from showing the password (errno \(errno))",
            advice: "give it through a pipe, with --password-stdin")
    }
}
