import Glibc

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
