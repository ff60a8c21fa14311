internal import Glibc

/// A gate that is opened once, for a thread to wait at.
///
/// `@unchecked Sendable`: the semaphore is made for use by several threads, stays in one place, and is
/// destroyed only when nobody holds the latch.
final class Latch: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    /// A closed gate.
    init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    /// Lets the one who waits go on.
    func open() {
        sem_post(semaphore)
    }

    /// Waits until the gate is open.
    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}
