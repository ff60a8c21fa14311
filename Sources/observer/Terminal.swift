import Glibc
import Runtime
import Wording

/// The terminal while the table is on it: raw, on its second screen, and as it was at every end.
struct Terminal: Sendable {
    private static let farewell = Array(TerminalScreen.leave.utf8)

    /// Its size; 80 by 24 where it does not say.
    @Sendable static func size() -> (columns: Int, lines: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Makes it raw and goes to its second screen; whatever ends the process restores it.
    func enter() {
        TerminalMode.raw.enter(on: STDIN_FILENO, farewell: Self.farewell)
        TextOutput.standardOutput.say(TerminalScreen.enter)
    }
}
