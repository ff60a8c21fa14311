import Bus
import Glibc
import ProcessSupport
import Testing

@Suite("The mode of a terminal", .serialized)
struct TerminalModeTests {
    /// A terminal that nobody looks at.
    private final class PseudoTerminal {
        let keyboard: Int32
        let descriptor: Int32

        init() throws {
            var ends: (keyboard: Int32, descriptor: Int32) = (-1, -1)
            try #require(openpty(&ends.keyboard, &ends.descriptor, nil, nil, nil) == 0, "errno \(errno)")
            (keyboard, descriptor) = ends
        }

        deinit {
            close(descriptor)
            close(keyboard)
        }

        /// The settings that decide how keys are taken.
        func flags() throws -> tcflag_t {
            var settings = termios()
            try #require(tcgetattr(descriptor, &settings) == 0, "errno \(errno)")
            return settings.c_lflag
        }
    }

    @Test("shows nothing that is typed, and is what it was after", arguments: [TerminalMode.raw, .silent])
    func restored(mode: TerminalMode) throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        try #require(before & tcflag_t(ECHO) != 0)
        #expect(mode.enter(on: terminal.descriptor))
        #expect(try terminal.flags() & tcflag_t(ECHO | ICANON | ISIG) == 0)
        #expect(TerminalMode.restore())
        #expect(try terminal.flags() == before)
        #expect(TerminalMode.restore(), "a second time there is nothing to do")
    }

    @Test("entered again, as after a stop, it still knows how the terminal was first")
    func enteredTwice() throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        #expect(TerminalMode.raw.enter(on: terminal.descriptor))
        #expect(TerminalMode.raw.enter(on: terminal.descriptor))
        #expect(TerminalMode.restore())
        #expect(try terminal.flags() == before)
    }

    /// Calls itself until the stack has no room; no optimizer makes a loop of it.
    @inline(never)
    private static func overflow(_ depth: Int) -> Int {
        guard depth < .max else { return 0 }
        return 1 + depth / (overflow(depth + 1) | 1)
    }

    @Test("is what it was after a stack has overflowed, of the thread that entered or of another")
    func overflown() async throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        let path = String(cString: ttyname(terminal.descriptor))
        await #expect(processExitsWith: .signal(SIGSEGV)) { [path = path as String] in
            let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard TerminalMode.raw.enter(on: descriptor) else { exit(1) }
            exit(Int32(truncatingIfNeeded: TerminalModeTests.overflow(0)))
        }
        #expect(try terminal.flags() == before)
        await #expect(processExitsWith: .signal(SIGSEGV)) { [path = path as String] in
            let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard TerminalMode.raw.enter(on: descriptor) else { exit(1) }
            let loop = try Loop.start(name: "overflow", context: try Context())
            let depth = await withCheckedContinuation { (overflown: CheckedContinuation<Int, Never>) in
                loop.perform {
                    SignalStack.provide()
                    overflown.resume(returning: TerminalModeTests.overflow(0))
                }
            }
            exit(Int32(truncatingIfNeeded: depth))
        }
        #expect(try terminal.flags() == before)
    }

    @Test(
        "is what it was after a signal that nobody takes, which ends the process all the same",
        arguments: [SIGUSR1, SIGXFSZ, SIGPROF, SIGALRM, __libc_current_sigrtmax()])
    func stray(signal: Int32) async throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        let path = String(cString: ttyname(terminal.descriptor))
        await #expect(processExitsWith: .signal(signal)) {
            [path = path as String, signal = signal as Int32] in
            let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            // Entered again, as after a stop, it stays so.
            for _ in 0..<2 {
                guard TerminalMode.raw.enter(on: descriptor) else { exit(1) }
            }
            TerminalModeTests.raiseUnblocked(signal)
            exit(2)
        }
        #expect(try terminal.flags() == before)
    }

    /// Sends this thread a signal: those of a pool hold back nearly all.
    private static func raiseUnblocked(_ signal: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(signal)
    }

    @Test("leaves alone a signal that is ignored, or taken by somebody else")
    func taken() async throws {
        let terminal = try PseudoTerminal()
        let path = String(cString: ttyname(terminal.descriptor))
        await #expect(processExitsWith: .exitCode(3)) { [path = path as String] in
            signal(SIGXFSZ, SIG_IGN)
            signal(SIGUSR1) { _ in _exit(3) }
            let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            guard TerminalMode.raw.enter(on: descriptor) else { exit(1) }
            TerminalModeTests.raiseUnblocked(SIGXFSZ)
            TerminalModeTests.raiseUnblocked(SIGUSR1)
            exit(2)
        }
    }

    @Test("has handlers that stand beside the stack, on each thread that is given room for them, once")
    func signalStack() {
        #expect(SignalStack.provide())
        var first = stack_t()
        #expect(sigaltstack(nil, &first) == 0)
        #expect(SignalStack.provide())
        var second = stack_t()
        #expect(sigaltstack(nil, &second) == 0)
        #expect(first.ss_sp == second.ss_sp)
        #expect(second.ss_size >= 64 * 1_024)
        #expect(second.ss_flags & Int32(SS_DISABLE) == 0)
    }

    @Test("is put back by another process than the one that changed it, and only where it was changed")
    func kept() throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        let kept = try #require(KeptTerminal(of: terminal.descriptor))
        #expect(!kept.restore(), "it is as it was")
        var raw = termios()
        try #require(tcgetattr(terminal.descriptor, &raw) == 0)
        cfmakeraw(&raw)
        try #require(tcsetattr(terminal.descriptor, TCSANOW, &raw) == 0)
        #expect(kept.restore())
        #expect(try terminal.flags() == before)
        #expect(!kept.restore(), "a second time there is nothing to do")
    }

    @Test("cannot be changed where there is no terminal")
    func noTerminal() throws {
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(nothing) }
        #expect(!TerminalMode.silent.enter(on: nothing))
        #expect(KeptTerminal(of: nothing) == nil)
        #expect(TerminalMode.restore())
    }
}
