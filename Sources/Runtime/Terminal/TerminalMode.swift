import Glibc
import Synchronization

/// Another way in which a terminal takes keys, until ``restore()``; as it was at every end of the process.
///
/// One at a time in a process.
public enum TerminalMode: Sendable {
    /// For a screen: keys come one by one and unseen, Ctrl-C among them. A crash restores the terminal,
    /// one by a stack that overflows too if its thread has a ``SignalStack``, as the one that enters has. So
    /// does every other signal that ends a process, those aside that ``StopSignal`` has: whoever draws a
    /// screen ends in order by them.
    case raw
    /// For a password: likewise, and output is laid out as ever. The signals of ``StopSignal`` restore the
    /// terminal too.
    case silent

    /// What is to be put back.
    private struct Before {
        let descriptor: Int32
        /// The settings; nil when keys do not come from a terminal.
        let settings: termios?
        /// Whether what was typed too early is dropped.
        let action: Int32
    }

    /// How the terminal was; nil while it is as it was.
    ///
    /// Signal handlers look here too, so it is only ever tried, never waited for, there.
    private static let before = Mutex<Before?>(nil)
    /// What is written before the settings are put back; it stays, for a signal handler may free nothing.
    private static let farewell = Mutex<[UInt8]>([])
    /// What the processor and the runtime end a process by.
    private static let crashes = [SIGSEGV, SIGBUS, SIGILL, SIGTRAP, SIGFPE, SIGABRT, SIGQUIT]

    /// What else ends a process that does not take it: timers, limits of the system, people and programs.
    private static let strays =
        [
            SIGALRM, SIGIO, SIGPROF, SIGPWR, SIGSTKFLT, SIGSYS, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
        ] + (__libc_current_sigrtmin()...__libc_current_sigrtmax())

    /// Changes the terminal; entered again, after a stop say, it does not forget how the terminal was first.
    ///
    /// - Parameters:
    ///   - descriptor: Where its keys come from.
    ///   - farewell: What is written to standard output when it is restored.
    /// - Returns: Whether it did as it was told; false when there is no terminal, with the reason in `errno`.
    @discardableResult
    public func enter(on descriptor: Int32, farewell: [UInt8] = []) -> Bool {
        var settings = termios()
        let isTerminal = tcgetattr(descriptor, &settings) == 0
        let before = Before(
            descriptor: descriptor, settings: isTerminal ? settings : nil, action: action)
        Self.farewell.withLock { $0 = farewell }
        Self.before.withLock { $0 = $0 ?? before }
        restoreOnSignals()
        guard isTerminal else { return false }
        change(&settings)
        return tcsetattr(descriptor, action, &settings) == 0
    }

    /// Makes the terminal what it was, if it is not that already.
    ///
    /// It calls nothing but write(2) and tcsetattr(3), which a signal handler may.
    ///
    /// - Returns: Whether it did as it was told.
    @discardableResult
    public static func restore() -> Bool {
        let taken = before.withLockIfAvailable { before in
            defer { before = nil }
            return before
        }
        guard let before = taken ?? nil else { return true }
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
        // Without ISIG Ctrl-C arrives as a byte: nobody at the terminal can end the process while it is
        // silent.
        case .silent: settings.c_lflag &= ~tcflag_t(ECHO | ICANON | ISIG)
        }
    }

    private func restoreOnSignals() {
        SignalStack.provide()
        var handling = sigaction()
        // Once, then the signal ends the process as it would have; beside a stack that may have overflowed.
        handling.sa_flags = Int32(bitPattern: UInt32(SA_RESETHAND) | UInt32(SA_ONSTACK))
        handling.__sigaction_handler.sa_handler = { number in
            TerminalMode.restore()
            raise(number)
        }
        let ends = self == .silent ? StopSignal.allCases.map(\.number) : []
        for signal in Self.crashes + ends { sigaction(signal, &handling, nil) }
        for signal in Self.strays where Self.isFatal(signal) { sigaction(signal, &handling, nil) }
    }

    /// Whether a signal ends the process, or is handled here already; else somebody wants it ignored, or
    /// makes something of it.
    private static func isFatal(_ signal: Int32) -> Bool {
        var handling = sigaction()
        guard sigaction(signal, nil, &handling) == 0 else { return false }
        return handling.__sigaction_handler.sa_handler == nil
            || handling.sa_flags & Int32(bitPattern: UInt32(SA_RESETHAND)) != 0
    }
}

/// How a terminal was before another process had it, to be put back if that process was struck down: by
/// SIGKILL, or the system for want of memory, which nobody can take.
public struct KeptTerminal: Sendable {
    private let descriptor: Int32
    private let settings: termios

    /// Notes how a terminal is; nil where keys do not come from a terminal.
    public init?(of descriptor: Int32) {
        var settings = termios()
        guard tcgetattr(descriptor, &settings) == 0 else { return nil }
        self.descriptor = descriptor
        self.settings = settings
    }

    /// Makes the terminal what it was, where it is not that.
    ///
    /// A process in the background leaves it alone: somebody else has it, and the system would stop the
    /// process.
    ///
    /// - Parameter farewell: What is written to standard output first, if there is something to put back.
    /// - Returns: Whether the terminal was another.
    @discardableResult
    public func restore(farewell: String = "") -> Bool {
        let foreground = tcgetpgrp(descriptor)
        guard foreground == -1 || foreground == getpgrp() else { return false }
        var now = termios()
        guard tcgetattr(descriptor, &now) == 0, Self.flags(of: now) != Self.flags(of: settings) else {
            return false
        }
        TextOutput.standardOutput.say(farewell)
        var before = settings
        return tcsetattr(descriptor, TCSANOW, &before) == 0
    }

    private static func flags(of settings: termios) -> [tcflag_t] {
        [settings.c_iflag, settings.c_oflag, settings.c_cflag, settings.c_lflag]
    }
}
