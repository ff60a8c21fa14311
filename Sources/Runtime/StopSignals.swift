import CSignals
import Glibc

/// The requests to end, as a descriptor that a loop can wait for.
///
/// Make it on the first thread before any other starts: threads inherit that the signals are blocked, and one
/// that does not have them blocked would die of them. So do programs that are spawned, which must
/// unblock them.
public final class StopSignals {
    /// Readable while a signal waits; register it with the loop, and call ``read()`` there.
    public let fileDescriptor: Int32

    /// Blocks the signals in the calling thread.
    ///
    /// - Throws: `system` when no descriptor is left.
    public init() throws(RuntimeError) {
        var signals = sigset_t()
        sigemptyset(&signals)
        for signal in StopSignal.allCases { sigaddset(&signals, signal.number) }
        let failure = pthread_sigmask(SIG_BLOCK, &signals, nil)
        guard failure == 0 else {
            throw .system(operation: "block signals of", path: "the process", errno: failure)
        }
        fileDescriptor = signalfd(-1, &signals, Int32(SFD_CLOEXEC | SFD_NONBLOCK))
        guard fileDescriptor >= 0 else { throw .lastError("watch signals of", "the process") }
    }

    deinit {
        close(fileDescriptor)
    }

    /// The next signal that waits, without waiting for one; nil when there is none.
    public func read() -> StopSignal? {
        var signal = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard Glibc.read(fileDescriptor, &signal, size) == size else { return nil }
        return StopSignal.allCases.first { $0.number == Int32(bitPattern: signal.ssi_signo) }
    }
}
