internal import CZMQ
internal import Glibc
internal import Synchronization

extension Loop {
    /// Makes a loop with a thread of its own, and returns once that thread runs.
    ///
    /// The thread retains the loop until ``shutdown()``: a loop that is never shut down is never freed.
    ///
    /// - Parameters:
    ///   - name: The thread's name; Linux stores its first 15 bytes.
    ///   - precision: How exactly the loop wakes for timers.
    /// - Throws: `outOfResources` when the system allows no more threads, `tooManySockets`.
    public static func start(
        name: String, context: Context, precision: TimerPrecision = .millisecond
    ) throws(BusError) -> Loop {
        let loop = try Loop(name: name, context: context, precision: precision, ownsThread: true)
        let hasStarted = Latch()
        try DetachedThread.start(name: name) {
            loop.claimThread()
            hasStarted.open()
            loop.runTurns()
            for socket in loop.releaseHandlers() { socket.close() }
            loop.end()
        }
        hasStarted.wait()
        return loop
    }

    /// Stops a started loop, and returns once it has ended; callable from any thread, more than once.
    ///
    /// The thread runs the enqueued work, then closes the registered sockets; owners close all others before.
    /// Handlers and timers added after the stop are never called. The call ignores cancellation, because it
    /// waits for running work.
    ///
    /// - Precondition: The loop was made by ``start(name:context:precision:)``.
    public func shutdown() async {
        precondition(ownsThread, "loop \(name) is driven by run(); end it with stop()")
        stop()
        await withCheckedContinuation { waiter in
            if !mailbox.withLock({ $0.awaitEnd(waiter) }) { waiter.resume() }
        }
    }

    /// Starts a thread that runs work posted after the loop's end, so that no task hangs on a pinned actor.
    func startLateThread() {
        do throws(BusError) {
            try DetachedThread.start(name: name) { self.runLate() }
        } catch {
            preconditionFailure("loop \(name) ended and cannot run what is enqueued: \(error)")
        }
    }

    private func runLate() {
        owner.store(pthread_self(), ordering: .relaxed)
        while let late = drainLate() {
            for work in late { work.run(on: asUnownedSerialExecutor()) }
        }
    }

    /// Returns the work posted since the loop ended; for nil it clears the owner, under the mailbox's lock
    /// and so before the next late thread starts.
    private func drainLate() -> [Work]? {
        mailbox.withLock { mailbox in
            let late = mailbox.drainLate()
            if late == nil { owner.store(Self.noThread, ordering: .relaxed) }
            return late
        }
    }
}

/// A detached thread, which is never joined; its closure signals completion to waiting callers.
enum DetachedThread {
    /// The bytes of a thread's name that Linux stores.
    private static let nameLimitBytes = 15

    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, _ run: @escaping @Sendable () -> Void) { (self.name, self.run) = (name, run) }
    }

    /// Starts a thread; fails with `outOfResources` when the system allows no more.
    static func start(name: String, _ run: @escaping @Sendable () -> Void) throws(BusError) {
        // The new thread takes over this retain; it is released here if no thread starts.
        let shown = String(decoding: name.utf8.prefix(nameLimitBytes), as: UTF8.self)
        let body = Unmanaged.passRetained(Body(name: shown, run))
        // Created detached: the process may end before a later pthread_detach.
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, &attributes,
            { argument in
                guard let argument else { preconditionFailure("a thread was started without its work") }
                let body = Unmanaged<Body>.fromOpaque(argument).takeRetainedValue()
                pthread_setname_np(pthread_self(), body.name)
                body.run()
                return nil
            }, body.toOpaque())
        guard failure == 0 else {
            body.release()
            throw BusError(errno: failure, context: "start thread \(name)")
        }
    }
}

/// A gate that one thread opens once and another thread waits at. `@unchecked Sendable`: a POSIX semaphore is
/// thread-safe and has a fixed address here, and `deinit` destroys it after the last reference is released.
final class Latch: @unchecked Sendable {
    private let semaphore: UnsafeMutablePointer<sem_t>

    init() {
        semaphore = .allocate(capacity: 1)
        semaphore.initialize(to: sem_t())
        sem_init(semaphore, 0, 0)
    }

    deinit {
        sem_destroy(semaphore)
        semaphore.deallocate()
    }

    func open() { sem_post(semaphore) }

    func wait() {
        while sem_wait(semaphore) != 0 {}
    }
}

/// Decides whether a loop's next wait begins with busy polling, which polls repeatedly before it sleeps.
///
/// Waking a sleeping thread takes ten microseconds or more, longer than most of the work that follows.
/// Polling in vain takes processor time from other threads. So each poll has a time limit, and after a few
/// polls in vain the next waits sleep at once.
struct BusyPoll {
    /// The highest credit, used up by two polls in vain.
    private static let mostCredit = 8
    /// The credit that one poll in vain costs.
    private static let price = 4
    /// The number of waits that sleep at once after a poll in vain with less credit than its price.
    private static let pause = 16

    /// The longest busy polling of one wait; zero disables it.
    var limit: Duration = .zero

    private var credit = 0

    /// Returns whether the next wait begins with busy polling; counts the waits that do not.
    mutating func begins() -> Bool {
        guard limit > .zero else { return false }
        guard credit < 0 else { return true }
        credit += 1
        return false
    }

    /// Updates the credit: +1 if the poll found a ready descriptor, else minus the price.
    mutating func ended(finding something: Bool) {
        if something {
            credit = min(credit + 1, Self.mostCredit)
        } else {
            credit = credit < Self.price ? -Self.pause : credit - Self.price
        }
    }
}
