import Bus
import Logging
import ProcessSupport

/// Checks the memory of this process up to ten times a second, and stops the loop above the limit.
///
/// The checks add no wake-ups: they run when the loop is awake for other reasons, at least twice a second.
/// The memory of an idle controller does not grow.
final class MemoryWatch {
    private static let interval = Duration.milliseconds(100)

    private let limit: MemoryLimit
    private let loop: Loop
    private let logger: Logger
    private var lookedAt = ContinuousClock.now
    /// The error for which the loop was stopped.
    private var failure: RuntimeError?

    init(_ limit: MemoryLimit, on loop: Loop, logger: Logger) {
        (self.limit, self.loop, self.logger) = (limit, loop, logger)
    }

    /// Checks now, and then repeatedly while the loop runs.
    ///
    /// - Throws: `tooMuchMemory` if the limit is already exceeded, or `system`.
    func begin() throws(RuntimeError) {
        try limit.check()
        loop.onTurn { [self] now in
            look(at: now)
            return nil
        }
    }

    /// Throws the error for which the loop was stopped, if any; called once the loop has ended.
    ///
    /// - Throws: `tooMuchMemory`, or `system`.
    func end() throws(RuntimeError) {
        if let failure { throw failure }
    }

    private func look(at now: ContinuousClock.Instant) {
        guard failure == nil, now - lookedAt >= Self.interval else { return }
        lookedAt = now
        do throws(RuntimeError) {
            try limit.check()
        } catch {
            logger.error("stopping", metadata: ["reason": "\(error)"])
            failure = error
            loop.stop()
        }
    }
}
