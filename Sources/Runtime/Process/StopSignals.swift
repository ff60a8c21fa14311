import CSignals
import FoundationEssentials
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

/// What asks a process to end.
public enum StopSignal: CaseIterable, Hashable, Sendable {
    /// Ctrl-C.
    case interrupt
    /// The usual request to end.
    case terminate
    /// The terminal has gone.
    case hangUp

    /// The system's number for it.
    public var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }
}

/// Room for the signal handlers of a thread beside its stack (sigaltstack(2)): a stack that has overflowed
/// has none left.
///
/// Each thread has its own. One that has none runs its handlers on its stack, as ever: then only a crash by
/// an overflow finds no handler.
public enum SignalStack {
    /// What it takes, bytes: the registers of a processor are some KiB, and a handler's calls a few more.
    static let bytes = 64 * 1_024

    /// Where each thread's is found, which goes back to the system when the thread ends; nil where the
    /// process has no room for another such place.
    private static let place: pthread_key_t? = {
        var key = pthread_key_t()
        let failure = pthread_key_create(&key) { memory in
            var none = stack_t()
            none.ss_flags = Int32(SS_DISABLE)
            // Where the thread still stands on it, it stays.
            guard sigaltstack(&none, nil) == 0 else { return }
            munmap(memory, SignalStack.bytes)
        }
        return failure == 0 ? key : nil
    }()

    /// Gives the current thread one, if it has none from here, for as long as it lives.
    ///
    /// - Returns: Whether it has one; false where the system has no room for it.
    @discardableResult
    public static func provide() -> Bool {
        guard let place else { return false }
        guard pthread_getspecific(place) == nil else { return true }
        let memory = mmap(nil, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
        guard let memory, memory != MAP_FAILED else { return false }
        var stack = stack_t()
        stack.ss_sp = memory
        stack.ss_size = bytes
        guard pthread_setspecific(place, memory) == 0, sigaltstack(&stack, nil) == 0 else {
            pthread_setspecific(place, nil)
            munmap(memory, bytes)
            return false
        }
        return true
    }
}

/// Tells a supervised process when its supervisor has gone, for then it has to end too.
public struct ParentWatch: Sendable {
    /// The supervisor's process id; nil when nobody supervises.
    public let expectedParent: Int32?

    /// A watch for the supervisor of that process id; one for nil never tells anything.
    public init(expectedParent: Int32?) {
        self.expectedParent = expectedParent
    }

    /// Whether the supervisor has gone: the process has another parent now.
    public var isOrphaned: Bool {
        guard let expectedParent else { return false }
        return getppid() != expectedParent
    }
}

/// The present life of the machine, from when it was switched on or restarted.
public enum SystemBoot {
    /// Its random name, made by the kernel: 36 characters; empty where the kernel has none.
    public static let id: String = {
        let bytes = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(36), as: UTF8.self)
    }()
}
