import Glibc
import Synchronization

/// A terminal mode for key input, in effect until ``restore()`` or the end of the process. A process has at
/// most one at a time.
public enum TerminalMode: Sendable {
    /// For a screen: keys, Ctrl-C among them, arrive one by one without echo. A crash restores the terminal;
    /// for a stack overflow the thread needs a ``SignalStack``, which ``enter(on:farewell:)`` provides. All
    /// other fatal signals restore it too, except those of ``StopSignal``, on which a program with a screen
    /// ends in order. SIGTSTP, which stops the process, restores it too: enter the mode again after SIGCONT.
    case raw
    /// For a password: no echo either, but unchanged output. The signals of ``StopSignal`` restore the
    /// terminal too.
    case silent

    private struct Before {
        let descriptor: Int32
        /// The settings; nil when keys do not come from a terminal.
        let settings: termios?
        /// The `tcsetattr` action, which decides whether unread input is dropped.
        let action: Int32
    }

    /// The terminal's state before the change; nil while the terminal is unchanged. Signal handlers read it
    /// too, so ``restore()`` only tries the lock.
    private static let before = Mutex<Before?>(nil)
    /// The bytes written before a restore; never freed there, because a signal handler must not free memory.
    private static let farewell = Mutex<[UInt8]>([])
    /// The signals by which the processor and the runtime end a process.
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT]

    /// The other signals that end a process by default: from timers, system limits and other processes.
    private static let strays =
        [
            SIGALRM, SIGIO, SIGPROF, SIGPWR, SIGSTKFLT, SIGSYS, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
        ] + (__libc_current_sigrtmin()...__libc_current_sigrtmax())

    /// Changes the terminal; a second call, for example after a stop, keeps the state saved by the first. The
    /// farewell is written to standard output before the restore. Returns false without a terminal, with the
    /// reason in `errno`.
    @discardableResult
    public func enter(on descriptor: Int32, farewell: [UInt8] = []) -> Bool {
        var settings = termios()
        let isTerminal = tcgetattr(descriptor, &settings) == 0
        let before = Before(descriptor: descriptor, settings: isTerminal ? settings : nil, action: action)
        Self.farewell.withLock { $0 = farewell }
        Self.before.withLock { $0 = $0 ?? before }
        restoreOnSignals()
        guard isTerminal else { return false }
        change(&settings)
        return tcsetattr(descriptor, action, &settings) == 0
    }

    /// Restores the terminal's state, if it was changed.
    ///
    /// It calls only write(2) and tcsetattr(3), which are async-signal-safe.
    ///
    /// - Returns: Whether the terminal has its former state.
    @discardableResult
    public static func restore() -> Bool {
        let saved = before.withLockIfAvailable { before in
            defer { before = nil }
            return before
        }
        guard let before = saved ?? nil else { return true }
        farewell.withLockIfAvailable { _ = write(STDOUT_FILENO, $0, $0.count) }
        guard var settings = before.settings else { return true }
        return tcsetattr(before.descriptor, before.action, &settings) == 0
    }

    private var action: Int32 {
        switch self {
        case .raw: TCSANOW
        case .silent: TCSAFLUSH
        }
    }

    private func change(_ settings: inout termios) {
        switch self {
        case .raw: cfmakeraw(&settings)
        // Without ISIG Ctrl-C arrives as a byte and does not end the process.
        case .silent: settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        }
    }

    private func restoreOnSignals() {
        SignalStack.provide()
        var handling = sigaction()
        // SA_RESETHAND: raised again, the signal ends the process. SA_ONSTACK: the stack may have overflowed.
        handling.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND) | UInt32(SA_ONSTACK))
        handling.__sigaction_handler.sa_handler = { number in
            TerminalMode.restore()
            raise(number)
        }
        let ends = self == .silent ? StopSignal.allCases.map(\.number) : []
        for signal in Self.crashes + ends { sigaction(signal, &handling, nil) }
        let stops = self == .raw ? [SIGTSTP] : []
        for signal in Self.strays + stops where Self.isFatal(signal) { sigaction(signal, &handling, nil) }
    }

    /// Whether a signal has its default action, which ends the process, or our handler; false when it is
    /// ignored or has another handler.
    private static func isFatal(_ signal: Int32) -> Bool {
        var handling = sigaction()
        guard sigaction(signal, nil, &handling) == 0 else { return false }
        return handling.__sigaction_handler.sa_handler == nil
            || handling.sa_flags & Int32(bitPattern: UInt32(SA_RESETHAND)) != 0
    }
}

/// The state of a terminal before another process used it, for a restore after that process was killed by
/// SIGKILL, from a user or from the out-of-memory killer, which no handler can catch.
public struct SavedTerminal: Sendable {
    private let descriptor: Int32
    private let settings: termios

    /// Reads the state of a terminal; nil when the descriptor is not a terminal.
    public init?(of descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        (self.descriptor, self.settings) = (descriptor, settings)
    }

    /// Restores the terminal's state, if it differs.
    ///
    /// A background process does nothing: another process uses the terminal, and the system would stop this
    /// one (SIGTTOU).
    ///
    /// - Parameter farewell: The text written to standard output before a restore.
    /// - Returns: Whether the state differed and was restored.
    @discardableResult
    public func restore(farewell: String = "") -> Bool {
        let foreground = tcgetpgrp(descriptor)
        guard foreground == -1 || foreground == getpgrp() else { return false }
        var now = termios()
        guard tcgetattr(descriptor, &now) == 0, Self.flags(of: now) != Self.flags(of: settings) else {
            return false
        }
        TextOutput.standardOutput.writeIgnoringErrors(farewell)
        var before = settings
        return tcsetattr(descriptor, TCSANOW, &before) == 0
    }

    private static func flags(of settings: termios) -> [tcflag_t] {
        [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
    }
}

/// The size of a terminal, in characters.
public struct TerminalSize: Equatable, Sendable {
    /// The number of columns.
    public let columns: Int
    public let lines: Int

    /// Reads the size of a terminal; nil if the descriptor is not one, or its size is not known.
    public init?(of descriptor: Int32) {
        var size = winsize()
        guard ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0, size.ws_col > 0, size.ws_row > 0 else {
            return nil
        }
        (columns, lines) = (Int(size.ws_col), Int(size.ws_row))
    }
}
