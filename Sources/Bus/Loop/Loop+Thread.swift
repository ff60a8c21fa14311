internal import CZMQ
internal import Glibc
internal import Synchronization

extension Loop {
    /// Makes a loop with a thread of its own, and returns once that runs.
    ///
    /// The thread keeps the loop until ``shutdown()``: a loop that is never shut down is never freed.
    ///
    /// - Parameters:
    ///   - name: The name of the thread, of which the system shows 15 bytes.
    ///   - context: The process's context.
    ///   - precision: How exactly it wakes for timers.
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

    /// Ends the thread of a started loop, and returns when it ended; from anywhere, more than once.
    ///
    /// What was enqueued is run first; then the registered sockets are closed on their thread. Other
    /// sockets are their owners' to close before. What is registered or scheduled later is never called. It
    /// waits for what is running, so it does not heed cancellation.
    ///
    /// - Precondition: The loop was made by ``start(name:context:precision:)``.
    public func shutdown() async {
        precondition(ownsThread, "loop \(name) is driven by run(); end it with stop()")
        stop()
        await withCheckedContinuation { waiter in
            if !mailbox.withLock({ $0.awaitEnd(waiter) }) { waiter.resume() }
        }
    }

    /// Runs what came after the end: a task must not wait for ever for an actor whose loop has gone.
    func startLateThread() {
        do throws(BusError) {
            try DetachedThread.start(name: name) { self.runLate() }
        } catch {
            preconditionFailure("loop \(name) ended and cannot run what is enqueued: \(error)")
        }
    }

    private func runLate() {
        owner.store(pthread_self(), ordering: .relaxed)
        while let late = takeLate() {
            for work in late { work.run(on: asUnownedSerialExecutor()) }
        }
    }

    /// The next late work; when there is none the thread lets go of the loop before another can take it.
    private func takeLate() -> [Work]? {
        mailbox.withLock { mailbox in
            let late = mailbox.takeLate()
            if late == nil { owner.store(Self.noThread, ordering: .relaxed) }
            return late
        }
    }
}

/// A thread that nobody joins: whoever waits for its work is told by the work.
enum DetachedThread {
    /// The bytes of a thread's name that Linux keeps.
    private static let nameLimitBytes = 15

    /// Carries the name and the closure to the thread.
    private final class Body: Sendable {
        let name: String
        let run: @Sendable () -> Void

        init(name: String, _ run: @escaping @Sendable () -> Void) {
            (self.name, self.run) = (name, run)
        }
    }

    /// Starts a thread.
    ///
    /// - Throws: `outOfResources` when the system allows no more threads.
    static func start(name: String, _ run: @escaping @Sendable () -> Void) throws(BusError) {
        // Retained here for the thread, which takes that retain over; if no thread starts it is released.
        let shown = String(decoding: name.utf8.prefix(nameLimitBytes), as: UTF8.self)
        let body = Unmanaged.passRetained(Body(name: shown, run))
        // Detached from its first moment: the process may end before anything else is done with it.
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

/// Whether a loop begins its next wait awake: asking again and again whether anything has come, before it
/// lets the system put it to sleep.
///
/// To be woken takes a thread ten microseconds and more, longer than most of what it then does. To stay awake
/// for nothing takes the time of others. So it is done for a bounded time, as long as that mostly finds
/// something: a few waits in vain, and the next waits sleep at once.
struct BusyPoll {
    /// The highest credit, which is gone after two waits in vain.
    private static let mostCredit = 8
    /// What a wait in vain takes of the credit.
    private static let price = 4
    /// Waits that sleep at once when there is no credit left.
    private static let pause = 16

    /// The longest that a wait stays awake; zero for never.
    var limit: Duration = .zero

    private var credit = 0

    /// Whether the next wait is to begin awake; counts those that are not.
    mutating func begins() -> Bool {
        guard limit > .zero else { return false }
        guard credit < 0 else { return true }
        credit += 1
        return false
    }

    /// Notes whether something came while the wait was awake.
    mutating func ended(finding something: Bool) {
        if something {
            credit = min(credit + 1, Self.mostCredit)
        } else {
            credit = credit < Self.price ? -Self.pause : credit - Self.price
        }
    }
}
