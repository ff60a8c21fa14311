internal import CZMQ
internal import Glibc

/// A thread that nobody joins: whoever waits for its work is told by the work.
enum DetachedThread {
    /// The bytes of a thread's name that Linux keeps.
    private static let nameLimitBytes = 15

    /// Carries the closure to the thread.
    private final class Body: Sendable {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) {
            self.run = run
        }
    }

    /// Starts a thread.
    ///
    /// - Throws: `outOfResources` when the system allows no more threads.
    static func start(name: String, _ run: @escaping @Sendable () -> Void) throws(BusError) {
        // Retained here for the thread, which takes that retain over; if no thread starts it is released.
        let body = Unmanaged.passRetained(Body(run))
        var thread = pthread_t()
        let failure = pthread_create(
            &thread, nil,
            { argument in
                guard let argument else { preconditionFailure("a thread was started without its work") }
                Unmanaged<Body>.fromOpaque(argument).takeRetainedValue().run()
                return nil
            }, body.toOpaque())
        guard failure == 0 else {
            body.release()
            throw BusError(errno: failure, context: "start thread \(name)")
        }
        pthread_setname_np(thread, String(decoding: name.utf8.prefix(nameLimitBytes), as: UTF8.self))
        pthread_detach(thread)
    }
}
