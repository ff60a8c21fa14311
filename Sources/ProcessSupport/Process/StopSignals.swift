import CProcess
import CSignals
import FoundationEssentials
import Glibc

/// The signals that request the end of the process, as a signalfd(2) that a loop can poll. Create it on the
/// first thread before any other starts: threads inherit the blocked signals, and a thread without the block
/// would let a signal end the process. Spawned programs inherit the block, too, and must unblock the signals.
public final class StopSignals {
    /// The descriptor, readable while a signal is pending; register it with the loop, and call ``read()``
    /// there.
    public let fileDescriptor: Int32

    /// Blocks the signals in the calling thread.
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

    deinit { close(fileDescriptor) }

    /// Returns the next pending signal without waiting; nil when none is pending.
    public func read() -> StopSignal? {
        var signal = signalfd_siginfo()
        let size = MemoryLayout<signalfd_siginfo>.size
        guard Glibc.read(fileDescriptor, &signal, size) == size else { return nil }
        return StopSignal.allCases.first { $0.number == Int32(bitPattern: signal.ssi_signo) }
    }
}

/// The signals that ask a process to end.
public enum StopSignal: CaseIterable, Hashable, Sendable {
    /// Ctrl-C.
    case interrupt
    /// The usual request to end.
    case terminate
    /// The terminal was closed.
    case hangUp

    public var number: Int32 {
        switch self {
        case .interrupt: SIGINT
        case .terminate: SIGTERM
        case .hangUp: SIGHUP
        }
    }
}

/// The alternate stack of a thread's signal handlers (sigaltstack(2)), for a crash by stack overflow. Each
/// thread has its own. Without one a thread runs its handlers on its ordinary stack, which works for every
/// crash except an overflow.
public enum SignalStack {
    /// The size of an alternate stack: saved registers take some KiB, and a handler's calls a few more.
    static let bytes = 64 * 1_024

    /// The key of the alternate stacks, whose destructor unmaps a thread's stack at its end; nil when the
    /// process has no key left.
    private static let place: pthread_key_t? = {
        var key = pthread_key_t()
        let failure = pthread_key_create(&key) { memory in
            var none = stack_t()
            none.ss_flags = Int32(SS_DISABLE)
            // Fails while the thread runs on it: then it stays mapped.
            guard sigaltstack(&none, nil) == 0 else { return }
            munmap(memory, SignalStack.bytes)
        }
        return failure == 0 ? key : nil
    }()

    /// Gives the current thread an alternate stack for its lifetime, unless an earlier call has. Returns
    /// false when the system refuses the memory.
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

/// Detects in a supervised process that its supervisor has ended, so that the process ends too.
public struct ParentWatch: Sendable {
    /// The supervisor's process ID; nil without a supervisor.
    public let expectedParent: Int32?

    /// A watch for the supervisor with that process ID; with nil the process is never orphaned.
    public init(expectedParent: Int32?) { self.expectedParent = expectedParent }

    /// Whether the supervisor has ended: the process has another parent now.
    public var isOrphaned: Bool {
        guard let expectedParent else { return false }
        return getppid() != expectedParent
    }
}

/// The process that started this one.
public enum StartingProcess {
    /// Its ID when it was first read; 0 if it is in another namespace.
    public static let id: Int32 = getppid()
}

/// A process that is neither the parent nor a child of this one.
public final class WatchedProcess: Sendable {
    private let descriptor: Int32

    /// Watches the process that has this ID now, not a later one with the same ID. Throws `system` if no
    /// process has it.
    public init(id: Int32) throws(RuntimeError) {
        descriptor = process_open(id)
        guard descriptor >= 0 else { throw .lastError("watch", "process \(id)") }
    }

    deinit { close(descriptor) }

    public var hasEnded: Bool {
        var request = pollfd(fd: descriptor, events: Int16(POLLIN), revents: 0)
        return poll(&request, 1, 0) > 0
    }
}

/// The current boot of the machine.
public enum SystemBoot {
    /// The kernel's random boot ID, 36 characters; empty where the kernel provides none.
    public static let id: String = {
        let bytes = FileManager.default.contents(atPath: "/proc/sys/kernel/random/boot_id") ?? Data()
        return String(decoding: bytes.prefix { $0 != UInt8(ascii: "\n") }.prefix(36), as: UTF8.self)
    }()
}

public enum ProcessImage {
    /// Replaces the process by a fresh run of its program with the same arguments: its ID stays, its memory
    /// and its descriptors do not. It returns only if that failed, with the reason.
    public static func restart() -> RuntimeError {
        replace(by: "/proc/self/exe", CommandLine.arguments)
    }

    /// Replaces the process by another program; the first word is its name.
    static func replace(by path: String, _ words: [String]) -> RuntimeError {
        var arguments = words.map { strdup($0) } + [nil]
        execv(path, &arguments)
        return .lastError("execv", words[0])
    }
}
