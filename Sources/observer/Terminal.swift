import Glibc
import ObserverCore
import Runtime
import Synchronization

/// The terminal while the table is on it: raw, on its second screen, and as it was at every end.
struct Terminal: Sendable {
    /// What is to be put back.
    private struct Before {
        /// The settings; nil when keys do not come from a terminal.
        var settings: termios?
    }

    /// How the terminal was; nil while it is as it was.
    ///
    /// Signal handlers look here too, so it is only ever tried, never waited for, there.
    private static let before = Mutex<Before?>(nil)
    private static let leaveBytes = Array(ScreenWriter.leave.utf8)

    /// What the processor and the runtime end a process by.
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT]

    /// Its size; 80 by 24 where it does not say.
    @Sendable static func size() -> (columns: Int, lines: Int) {
        var size = winsize()
        guard ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return (80, 24)
        }
        return (Int(size.ws_col), Int(size.ws_row))
    }

    /// Makes it raw and goes to its second screen; a crash from now on restores it.
    func enter() {
        var settings = termios()
        let hasSettings = tcgetattr(STDIN_FILENO, &settings) == 0
        Self.before.withLock { $0 = Before(settings: hasSettings ? settings : nil) }
        Self.restoreOnCrash()
        if hasSettings {
            cfmakeraw(&settings)
            tcsetattr(STDIN_FILENO, TCSANOW, &settings)
        }
        TextOutput.standardOutput.say(ScreenWriter.enter)
    }

    /// Restores it, if it is not restored yet.
    ///
    /// It calls nothing but write(2) and tcsetattr(3), which a signal handler may.
    static func restore() {
        let taken = before.withLockIfAvailable { before in
            defer { before = nil }
            return before
        }
        guard let before = taken ?? nil else { return }
        _ = write(STDOUT_FILENO, leaveBytes, leaveBytes.count)
        guard var settings = before.settings else { return }
        tcsetattr(STDIN_FILENO, TCSANOW, &settings)
    }

    private static func restoreOnCrash() {
        var action = sigaction()
        // Once, then the signal ends the process as it would have.
        action.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND))
        action.__sigaction_handler.sa_handler = { number in
            Terminal.restore()
            raise(number)
        }
        for crash in crashes { sigaction(crash, &action, nil) }
    }
}
