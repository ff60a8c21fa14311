internal import CZMQ
internal import Glibc

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
