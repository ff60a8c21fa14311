import Bus
import Glibc
import Runtime

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
