import CSignals
import Glibc

/// The standard output or the standard error of a process.
public struct TextOutput: Sendable {
    /// Writing failed: the disk is full, the reader has gone, or the output was never open.
    public struct Failure: Error, Hashable, CustomStringConvertible {
        /// The exit status of a program whose output cannot be written (`EX_IOERR` of sysexits.h).
        public static let exitStatus: Int32 = 74
        /// The exit status of a program whose reader has gone: that of a shell for SIGPIPE.
        static let unreadStatus: Int32 = 128 + SIGPIPE

        /// The system's error number.
        public let errno: Int32

        /// Whether the reader of a pipe has gone, as with `| head`: no reason for a message.
        public var isUnread: Bool { errno == EPIPE }

        /// What failed, and what to change in the system.
        public var description: String {
            "\(RuntimeError.system(operation: "write to", path: "standard output", errno: errno))"
        }
    }

    public static let standardOutput = TextOutput(descriptor: STDOUT_FILENO)
    public static let standardError = TextOutput(descriptor: STDERR_FILENO)

    let descriptor: Int32

    /// Writes all bytes, and waits for a slow reader. A pipe without a reader throws, and does not end the
    /// process by SIGPIPE.
    public func write(_ bytes: [UInt8]) throws(Failure) {
        guard let number = BlockedPipeSignal.during({ errorNumber(ofWriting: bytes) }) else { return }
        throw Failure(errno: number)
    }

    /// Writes a text and a line feed.
    public func writeLine(_ text: String) throws(Failure) { try write(Array("\(text)\n".utf8)) }

    /// Writes a text for people, and ignores an error; without a reader SIGPIPE may end the process.
    public func writeIgnoringErrors(_ text: String) {
        _ = errorNumber(ofWriting: Array(Program.worded(text).utf8))
    }

    /// Asks the file system for an error that it has not reported yet: NFS reports some at a close only.
    public func finish() throws(Failure) {
        let copy = dup(descriptor)
        // Without a descriptor nothing was written.
        guard copy >= 0, close(copy) != 0 else { return }
        throw Failure(errno: Glibc.errno)
    }

    /// Writes all bytes, and waits for a slow reader; returns the error number, or nil.
    private func errorNumber(ofWriting bytes: [UInt8]) -> Int32? {
        var rest = bytes[...]
        while !rest.isEmpty {
            let written = rest.withUnsafeBytes { Glibc.write(descriptor, $0.baseAddress, $0.count) }
            if written >= 0 {
                rest.removeFirst(written)
            } else if errno == EAGAIN {
                // Another process that shares the descriptor made it non-blocking.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                return errno
            }
        }
        return nil
    }
}

/// SIGPIPE, which the system sends to the thread that writes to a pipe without a reader.
private enum BlockedPipeSignal {
    /// Runs a write; its SIGPIPE does not reach the process. Ignoring the signal in the whole process would
    /// keep a program running whose messages have no reader.
    static func during(_ write: () -> Int32?) -> Int32? {
        var (signal, former, pending) = (sigset_t(), sigset_t(), sigset_t())
        sigemptyset(&signal)
        sigaddset(&signal, SIGPIPE)
        pthread_sigmask(SIG_BLOCK, &signal, &former)
        defer { pthread_sigmask(SIG_SETMASK, &former, nil) }
        sigpending(&pending)
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        let number = write()
        if number == EPIPE, !wasPending {
            var now = timespec()
            sigtimedwait(&signal, nil, &now)
        }
        return number
    }
}
