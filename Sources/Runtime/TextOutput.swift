import Glibc

/// Where a process writes for whoever started it.
public struct TextOutput: Sendable {
    /// Nobody reads any more, or the output is broken in another way.
    public struct Gone: Error {
        /// The system's number for why.
        public let errno: Int32
    }

    /// Results.
    public static let standardOutput = TextOutput(descriptor: STDOUT_FILENO)
    /// Talk.
    public static let standardError = TextOutput(descriptor: STDERR_FILENO)

    private let descriptor: Int32

    /// Writes all of it, waiting for a slow reader.
    ///
    /// - Throws: ``Gone``.
    public func write(_ bytes: [UInt8]) throws(Gone) {
        var rest = bytes
        while !rest.isEmpty {
            let written = Glibc.write(descriptor, rest, rest.count)
            if written >= 0 {
                rest.removeFirst(written)
            } else if errno == EAGAIN {
                // Somebody who shares the descriptor made it non-blocking.
                var waiting = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
                poll(&waiting, 1, -1)
            } else if errno != EINTR {
                throw Gone(errno: errno)
            }
        }
    }

    /// Writes what nobody need read: that it could not be written is no reason to stop.
    public func say(_ words: String) {
        do {
            try write(Array(words.utf8))
        } catch {
            return
        }
    }
}
