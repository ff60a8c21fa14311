import Glibc

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
