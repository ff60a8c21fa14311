import Bus
import Logging
import Runtime

/// Looks ten times a second how much memory this process has, and stops its loop where that is too much.
final class MemoryWatch {
    private static let interval = Duration.milliseconds(100)

    private let limit: MemoryLimit
    private let loop: Loop
    private let logger: Logger
    /// Why the loop was stopped.
    private var failure: RuntimeError?

    init(_ limit: MemoryLimit, on loop: Loop, logger: Logger) {
        (self.limit, self.loop, self.logger) = (limit, loop, logger)
    }

    /// Looks for the first time, and then again and again while the loop runs.
    ///
    /// - Throws: `tooMuchMemory` where it is too much already, or `system`.
    func begin() throws(RuntimeError) {
        try limit.check()
        loop.schedule(after: Self.interval) { [self] in look() }
    }

    /// Says, once the loop has ended, whether that was for want of memory.
    ///
    /// - Throws: `tooMuchMemory`, or `system`.
    func end() throws(RuntimeError) {
        if let failure { throw failure }
    }

    private func look() {
        do throws(RuntimeError) {
            try begin()
        } catch {
            logger.error("stopping", metadata: ["reason": "\(error)"])
            failure = error
            loop.stop()
        }
    }
}
