import Bus
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

/// What is typed, as bytes, read on a loop's thread.
struct Keyboard: Sendable {
    /// Bytes of one read at most.
    private static let readLimit = 1_024
    /// Reads that wait at most; then the oldest go.
    private static let waitingReads = 64

    /// The bytes of each read; none ever where no keys are used.
    let bytes: AsyncStream<[UInt8]>

    private let feed: AsyncStream<[UInt8]>.Continuation
    private let loop: Loop?

    /// Begins to read, where keys are used and standard input is a terminal.
    init(isUsed: Bool, loop: Loop) {
        let (bytes, feed) = AsyncStream.makeStream(
            of: [UInt8].self, bufferingPolicy: .bufferingNewest(Self.waitingReads))
        self.bytes = bytes
        self.feed = feed
        guard isUsed, isatty(STDIN_FILENO) == 1 else {
            self.loop = nil
            return
        }
        self.loop = loop
        loop.perform {
            // A terminal that gives keys is restored whichever thread crashes.
            SignalStack.provide()
            loop.register(fileDescriptor: STDIN_FILENO) {
                guard let typed = Self.read() else {
                    loop.unregister(fileDescriptor: STDIN_FILENO)
                    return
                }
                feed.yield(typed)
            }
        }
    }

    /// Ends reading.
    func close() {
        feed.finish()
        guard let loop else { return }
        loop.perform { loop.unregister(fileDescriptor: STDIN_FILENO) }
    }

    /// What is there to read; nil when the terminal has gone.
    private static func read() -> [UInt8]? {
        var buffer = [UInt8](repeating: 0, count: readLimit)
        let count = Glibc.read(STDIN_FILENO, &buffer, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { return [] }
        guard count > 0 else { return nil }
        return Array(buffer.prefix(count))
    }
}

/// Bounds the end of the process: what is not over by then is left.
enum LastSecond {
    /// From now on the process lives 800 ms at most, and ends with status 0 all the same.
    static func begin() {
        signal(SIGALRM) { _ in
            TerminalMode.restore()
            _exit(0)
        }
        var timer = itimerval()
        timer.it_value = timeval(tv_sec: 0, tv_usec: 800_000)
        setitimer(__itimer_which_t(ITIMER_REAL.rawValue), &timer, nil)
    }
}
