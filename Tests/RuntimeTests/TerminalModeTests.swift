import Glibc
import Runtime
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

    @Test("cannot be changed where there is no terminal")
    func noTerminal() throws {
        let nothing = open("/dev/null", O_RDONLY | O_CLOEXEC)
        defer { close(nothing) }
        #expect(!TerminalMode.silent.enter(on: nothing))
        #expect(TerminalMode.restore())
    }
}
