import Bus
import CoreParts
import Dispatch
import Foundation

/// A loop with its own context and thread, driven by `run()` like the loops of servers.
final class LoopThread: Sendable {
    private let loop: Loop
    private let hasEnded = DispatchSemaphore(value: 0)

    /// Starts the thread, and creates the handlers on its loop.
    init(name: String, _ start: @escaping @Sendable (Loop) throws -> Void) throws {
        loop = try Loop(name: name, context: Context())
        Thread { [loop, hasEnded] in
            attempt(on: loop) { try start(loop) }
            loop.run()
            hasEnded.signal()
        }.start()
    }

    /// Stops the loop, and returns when it has released its handlers and their sockets.
    func end() throws {
        loop.stop()
        guard hasEnded.wait(timeout: .now() + 5) == .success else { throw BenchFailure.noReply }
        loop.context.terminate()
    }
}
