import Bus
import Glibc
import ProcessSupport
import Testing

@Suite("The mode of a terminal", .serialized)
struct TerminalModeTests {
    /// A terminal without a user.
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

        /// The settings that determine how keys are read.
        func flags() throws -> tcflag_t {
            var settings = termios()
            try #require(tcgetattr(descriptor, &settings) == 0, "errno \(errno)")
            return settings.c_lflag
        }
    }

    @Test(
        "a terminal mode hides typed text, and is restored afterwards",
        arguments: [TerminalMode.raw, .silent])
    func restored(mode: TerminalMode) throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        try #require(before & tcflag_t(ECHO) != 0)
        #expect(mode.enter(on: terminal.descriptor))
        #expect(try terminal.flags() & tcflag_t(ECHO | ICANON | ISIG) == 0)
        #expect(TerminalMode.restore())
        #expect(try terminal.flags() == before)
        #expect(TerminalMode.restore(), "a second time does nothing")
    }

    @Test("entering a mode again, as after a stop, keeps the first settings for the restore")
    func enteredTwice() throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        #expect(TerminalMode.raw.enter(on: terminal.descriptor))
        #expect(TerminalMode.raw.enter(on: terminal.descriptor))
        #expect(TerminalMode.restore())
        #expect(try terminal.flags() == before)
    }

    /// Recurses until the stack overflows; written so that no optimizer turns it into a loop.
    @inline(never)
    private static func overflow(_ depth: Int) -> Int {
        guard depth < .max else { return 0 }
        return 1 + depth / (overflow(depth + 1) | 1)
    }

    @Test("the terminal is restored after a stack overflow of any thread")
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
        "the terminal is restored after a signal without a handler, which ends the process",
        arguments: [SIGUSR1, SIGXFSZ, SIGPROF, SIGALRM, __libc_current_sigrtmax()])
    func stray(signal: Int32) async throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        let path = String(cString: ttyname(terminal.descriptor))
        await #expect(processExitsWith: .signal(signal)) {
            [path = path as String, signal = signal as Int32] in
            let descriptor = open(path, O_RDWR | O_NOCTTY | O_CLOEXEC)
            // Entered again, as after a stop, it stays restored.
            for _ in 0..<2 {
                guard TerminalMode.raw.enter(on: descriptor) else { exit(1) }
            }
            TerminalModeTests.raiseUnblocked(signal)
            exit(2)
        }
        #expect(try terminal.flags() == before)
    }

    /// Sends this thread a signal: threads of a pool block nearly all.
    private static func raiseUnblocked(_ signal: Int32) {
        var signals = sigset_t()
        sigemptyset(&signals)
        sigaddset(&signals, signal)
        pthread_sigmask(SIG_UNBLOCK, &signals, nil)
        raise(signal)
    }

    @Test("signals that are ignored or have a handler are not changed")
    func inUse() async throws {
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

    @Test("handlers run on a separate stack, provided once for each thread")
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

    @Test("another process restores the terminal, if it was changed")
    func stored() throws {
        let terminal = try PseudoTerminal()
        let before = try terminal.flags()
        let stored = try #require(SavedTerminal(of: terminal.descriptor))
        #expect(!stored.restore(), "it is unchanged")
        var raw = termios()
        try #require(tcgetattr(terminal.descriptor, &raw) == 0)
        cfmakeraw(&raw)
        try #require(tcsetattr(terminal.descriptor, TCSANOW, &raw) == 0)
        #expect(stored.restore())
        #expect(try terminal.flags() == before)
        #expect(!stored.restore(), "a second time does nothing")
    }

    @Test("without a terminal its mode cannot be changed")
    func noTerminal() throws {
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(nothing) }
        #expect(!TerminalMode.silent.enter(on: nothing))
        #expect(SavedTerminal(of: nothing) == nil)
        #expect(TerminalMode.restore())
    }
}
