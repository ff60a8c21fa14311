public import ArgumentParser
public import Bus
import Logging

/// The option `--memory-limit`.
public struct MemoryOptions: ParsableArguments, Sendable {
    @Option(
        help: ArgumentHelp(
            "Memory limit, beyond which the process exits, to be restarted: \(MemoryLimit.text) (default: 2G).",
            valueName: "size"),
        transform: MemoryLimit.named)
    public var memoryLimit: MemoryLimit = .standard

    public init() {}
}

/// Checks the memory of this process, and reports once that it exceeds the limit.
///
/// It checks once a second, and up to ten times a second from a sixteenth of the limit on, because the check
/// of a password needs 64 MiB for a moment. The checks add no wake-ups: they run when the loop is awake for
/// other reasons, at least twice a second. The memory of an idle process does not grow.
public final class MemoryWatch {
    private static let interval = Duration.seconds(1)
    private static let shortInterval = Duration.milliseconds(100)

    private let limit: MemoryLimit
    private let loop: Loop
    private let onFailure: (RuntimeError) -> Void
    private var nextLook = ContinuousClock.now
    private var failure: RuntimeError?

    /// Watches the memory while a loop runs; made on its thread. A failure is reported once, on the loop's
    /// thread, and ends the process in order.
    public init(_ limit: MemoryLimit, on loop: Loop, onFailure: @escaping (RuntimeError) -> Void) {
        (self.limit, self.loop, self.onFailure) = (limit, loop, onFailure)
    }

    /// Checks now, and then repeatedly while the loop runs.
    public func begin() throws(RuntimeError) {
        _ = try limit.check()
        loop.onTurn { [self] now in
            look(at: now)
            return nil
        }
    }

    /// Throws the error that was reported, if any; called once the loop has ended.
    public func end() throws(RuntimeError) {
        if let failure { throw failure }
    }

    private func look(at now: ContinuousClock.Instant) {
        guard failure == nil, now >= nextLook else { return }
        do throws(RuntimeError) {
            let isNear = try 16 * limit.check() > limit.mebibytes
            nextLook = now + (isNear ? Self.shortInterval : Self.interval)
        } catch {
            Logger(label: "memory").error("stopping", metadata: ["reason": "\(error)"])
            failure = error
            onFailure(error)
        }
    }
}
