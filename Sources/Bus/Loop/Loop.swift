internal import CZMQ
internal import Glibc
internal import Synchronization

/// An event loop on one thread: it polls sockets, runs enqueued work, and runs timers.
///
/// There are two ways to use it. A server makes the loop, its sockets and its handlers on one thread and
/// calls ``run()``: messages pass through no task and no lock. A client calls
/// ``start(name:context:precision:)``, which makes the thread, and pins its actors there with
/// `unownedExecutor`. Socket handlers run on that thread and access the actor's state without `await`.
///
/// A turn is: wait; `onReadable` of each readable socket; up to 256 jobs and closures from other threads;
/// the timers that are due; the `onTurn` handlers. A socket whose handler left messages behind is readable
/// in the next turn, which then does not wait.
///
/// ```swift
/// loop.register(subscriber) {
///     do {
///         while try subscriber.receive(into: &frames) {
///             received += 1
///             print("\(String(decoding: frames[0], as: UTF8.self)): \(frames[1][0]) °C")
///         }
///     } catch {
///         print("subscriber: \(error)")
///         loop.stop()
///     }
///     if received == readings { loop.stop() }
/// }
///
/// loop.schedule(after: .seconds(5)) { loop.stop() }
/// loop.run()
/// ```
///
/// `@unchecked Sendable`: each field says what protects it. Fields of the thread are reached only by methods
/// that first check that they are on it.
public final class Loop: SerialExecutor, @unchecked Sendable {
    /// The maximum number of jobs and closures run in one turn, so that they cannot delay sockets for long.
    public static let workPerTurn = 256

    /// The owner of a loop that has ended; no thread has this number.
    static let noThread = pthread_t.max

    /// The most rounds of work run after a stop, so that work that enqueues itself cannot prevent the end.
    static let drainRounds = 64

    /// The name of the thread and of the loop in messages; immutable.
    public let name: String

    /// The context whose sockets the loop is for; immutable.
    public let context: Context

    /// How exactly it wakes; immutable.
    let precision: TimerPrecision

    /// Whether the thread was made by ``start(name:context:precision:)``; immutable.
    let ownsThread: Bool

    /// The descriptor that ends a wait from other threads; immutable, and its use is atomic.
    let wakeDescriptor: Int32

    /// The thread's number, 0 while none has claimed the loop; atomic, and compared to a thread's own.
    let owner = Atomic<pthread_t>(0)

    /// The queue of work from other threads; under its lock, which is never held while work runs.
    let mailbox = Mutex(Mailbox())

    /// The polled sockets and descriptors with their handlers; the thread's.
    var registrations = Registrations()

    /// The handlers called at the end of each turn; the thread's.
    var turnHandlers: [(ContinuousClock.Instant) -> ContinuousClock.Instant?] = []

    /// The scheduled timers; the thread's.
    var timers = TimerQueue<ContinuousClock.Instant>()

    /// The work taken from the mailbox that has not run yet; the thread's.
    var batch = WorkBatch()

    /// When to wake at the latest, counted from `origin`, or nil for no timer; the thread's. The standard
    /// library hides how an instant is made, so that each use of an optional one is a call.
    var nextWake: Duration?

    /// The busy-polling state, which decides how the next wait begins; the thread's.
    var busyPoll = BusyPoll()

    /// The instant from which `nextWake` is counted; immutable.
    let origin = ContinuousClock.now

    /// Makes a loop to be driven by ``run()``.
    ///
    /// It belongs to the first thread that registers something, schedules something or runs it.
    ///
    /// - Parameters:
    ///   - name: The loop's name in messages.
    ///   - precision: How exactly the loop wakes for timers.
    /// - Throws: `tooManySockets` when the process has no descriptor left.
    public convenience init(
        name: String, context: Context, precision: TimerPrecision = .millisecond
    ) throws(BusError) {
        try self.init(name: name, context: context, precision: precision, ownsThread: false)
    }

    init(name: String, context: Context, precision: TimerPrecision, ownsThread: Bool) throws(BusError) {
        (self.name, self.context, self.precision, self.ownsThread) = (name, context, precision, ownsThread)
        wakeDescriptor = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
        guard wakeDescriptor >= 0 else {
            throw BusError(errno: Glibc.errno, context: "create the wake-up descriptor of loop \(name)")
        }
    }

    deinit { Glibc.close(wakeDescriptor) }

    /// Whether the caller is on the loop's thread.
    public var isOnThread: Bool { owner.load(ordering: .relaxed) == pthread_self() }

    /// Whether the loop has ended and released its handlers; never false again once true.
    var hasEnded: Bool { mailbox.withLock { $0.hasEnded } }

    /// Runs work soon on the loop's thread, in the order of the calls; from any thread.
    ///
    /// Only memory bounds the queue, so callers must limit their own calls. Work given to a loop that has
    /// ended runs on a thread of its own, one piece at a time.
    public func perform(_ work: @escaping @Sendable () -> Void) { post(.closure(work)) }

    /// Ends the loop after the current turn and the work enqueued so far; from any thread, more than once.
    ///
    /// After a call before ``run()``, `run()` only runs the enqueued work and returns.
    public func stop() { act(on: mailbox.withLock { $0.stop() }) }

    func post(_ work: consuming Work) { act(on: mailbox.withLock { [work] in $0.post(work) }) }

    /// Carries out an action that the mailbox returned, outside its lock.
    func act(on action: Mailbox.Action) {
        switch action {
        case .none: break
        case .wake: wake()
        case .startLateThread: startLateThread()
        }
    }

    /// Makes the current thread the loop's owner, if it has none yet and has not ended.
    func claimThread() {
        let current = pthread_self()
        let (exchanged, holder) = owner.compareExchange(expected: 0, desired: current, ordering: .relaxed)
        precondition(exchanged || holder == current, "loop \(name) belongs to another thread, or has ended")
    }

    private func wake() {
        // An eventfd counts up to 2^64 - 2, and the thread resets it whenever it wakes: this cannot fail.
        precondition(eventfd_write(wakeDescriptor, 1) == 0, "loop \(name) cannot be woken")
    }
}

extension Loop {
    /// Runs a piece of a task on the loop's thread; called by the runtime for actors pinned here.
    public func enqueue(_ job: consuming ExecutorJob) { post(.job(UnownedJob(job))) }

    /// Returns the executor for the `unownedExecutor` of an actor that is pinned to the loop's thread.
    public func asUnownedSerialExecutor() -> UnownedSerialExecutor { UnownedSerialExecutor(ordinary: self) }

    /// Stops the process unless on the loop's thread; called by the runtime for `assumeIsolated`.
    public func checkIsolated() { precondition(isOnThread, "not on the thread of loop \(name)") }

    /// Whether on the loop's thread; called by the runtime before it would call ``checkIsolated()``.
    public func isIsolatingCurrentContext() -> Bool? { isOnThread }
}

extension Loop {
    /// Calls a closure with a started loop and a new context, then shuts both down in order.
    ///
    /// The context is terminated afterwards, so the closure must close sockets that are not registered.
    ///
    /// - Parameters:
    ///   - name: The thread's name; Linux stores its first 15 bytes.
    ///   - precision: How exactly the loop wakes for timers.
    ///   - work: The closure; when it returns or throws, the loop is shut down and the context terminated.
    /// - Throws: As ``init(name:context:precision:)`` and ``Context/init(ioThreads:maxSockets:)`` do, and
    ///   what the work throws.
    public static func withThread<Value: Sendable>(
        name: String, precision: TimerPrecision = .millisecond, _ work: (Loop) async throws -> Value
    ) async throws -> Value {
        let context = try Context()
        let loop = try start(name: name, context: context, precision: precision)
        let result: Result<Value, any Error>
        do {
            result = .success(try await work(loop))
        } catch {
            result = .failure(error)
        }
        await loop.shutdown()
        context.terminate()
        return try result.get()
    }
}

extension Loop {
    /// Runs work on the loop's thread once a time has passed.
    ///
    /// - Precondition: On the loop's thread.
    @discardableResult
    public func schedule(after delay: Duration, _ work: @escaping () -> Void) -> TimerID {
        schedule(at: ContinuousClock.now + delay, work)
    }

    /// Runs work on the loop's thread at an instant or soon after, and in the next turn if it has passed.
    ///
    /// Timers run in the order of their instants, and of their scheduling where those are equal.
    ///
    /// - Precondition: On the loop's thread.
    @discardableResult
    public func schedule(at deadline: ContinuousClock.Instant, _ work: @escaping () -> Void) -> TimerID {
        claimThread()
        return timers.schedule(at: deadline, work)
    }

    /// Cancels a timer.
    ///
    /// - Precondition: On the loop's thread.
    /// - Returns: Whether the timer was still scheduled.
    @discardableResult
    public func cancel(_ timer: TimerID) -> Bool {
        claimThread()
        let cancelled = timers.cancel(timer)
        return cancelled != nil
    }
}

/// The identifier of a timer of a ``Loop``, with which it is cancelled.
public struct TimerID: Hashable, Sendable {
    /// Numbered from 1 in the order of scheduling, never used again.
    let number: UInt64
}
