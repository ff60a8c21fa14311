import Bus
import Glibc
import ProcessSupport
import UserText

/// The terminal in raw mode on its alternate screen; every exit of the process restores it.
struct Terminal: Sendable {
    /// Whether the mouse is reported; then the terminal selects text only with shift.
    var hasMouse = true

    private static let farewell = Array((TerminalScreen.mouseOff + TerminalScreen.leave).utf8)

    /// Returns the size of the terminal; 80 by 24 if it is not known.
    @Sendable static func size() -> (columns: Int, lines: Int) {
        TerminalSize(of: STDOUT_FILENO).map { ($0.columns, $0.lines) } ?? (80, 24)
    }

    /// The time for a signal to stop all threads, milliseconds.
    private static let stopMs: Int32 = 20

    /// Enters raw mode and the alternate screen, which every exit of the process restores.
    func enter() {
        TerminalMode.raw.enter(on: STDIN_FILENO, farewell: Self.farewell)
        TextOutput.standardOutput.writeIgnoringErrors(
            TerminalScreen.enter + (hasMouse ? TerminalScreen.mouseOn : ""))
    }

    /// Restores the terminal, stops the process and its group as Ctrl-Z does elsewhere, and enters raw mode
    /// again when they are continued. Without a shell that could continue them the system does not stop them.
    func suspend() {
        TerminalMode.restore()
        kill(0, SIGTSTP)
        // Another thread may receive the signal; it stops this thread within moments.
        poll(nil, 0, Self.stopMs)
        enter()
    }
}

/// The keys typed at the terminal, read on a loop's thread.
struct Keyboard: Sendable {
    private static let readLimit = 1_024
    /// The maximum number of buffered reads; beyond it the oldest are dropped.
    private static let waitingReads = 64

    /// The keys of each read; stays empty if keys are not used.
    let keys: AsyncStream<[Key]>

    private let feed: AsyncStream<[Key]>.Continuation
    private let loop: Loop?

    /// Starts to read if keys are used and standard input is a terminal.
    init(isUsed: Bool, loop: Loop) {
        let (keys, feed) = AsyncStream.makeStream(
            of: [Key].self, bufferingPolicy: .bufferingNewest(Self.waitingReads))
        (self.keys, self.feed) = (keys, feed)
        guard isUsed, isatty(STDIN_FILENO) == 1 else {
            self.loop = nil
            return
        }
        self.loop = loop
        loop.perform {
            // An alternate signal stack lets a crash of this thread restore the terminal.
            SignalStack.provide()
            // Here, so that dropped reads cannot contain the mark before pasted text.
            var parser = KeyParser()
            loop.register(fileDescriptor: STDIN_FILENO) {
                guard let typed = Self.read() else {
                    loop.unregister(fileDescriptor: STDIN_FILENO)
                    return
                }
                feed.yield(parser.keys(of: typed))
            }
        }
    }

    func close() {
        feed.finish()
        guard let loop else { return }
        loop.perform { loop.unregister(fileDescriptor: STDIN_FILENO) }
    }

    /// Reads the available bytes; returns nil if the terminal is gone.
    private static func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: readLimit)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        guard count > 0 else { return nil }
        return Array(buffer.prefix(count))
    }
}

/// A timer that bounds the shutdown of the process and abandons unfinished work.
enum LastSecond {
    static let length: Duration = .milliseconds(800)

    /// Starts the timer, which ends the process with status 0.
    static func begin() {
        signal(SIGALRM) { _ in
            TerminalMode.restore()
            _exit(0)
        }
        var timer = itimerval()
        timer.it_value = timeval(tv_sec: 0, tv_usec: Int(length / .microseconds(1)))
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    }
}
