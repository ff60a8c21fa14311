internal import CZMQ
internal import Glibc

/// What went wrong in a call to libzmq or to the system beneath it.
///
/// The description says what failed, where, and what to try. It never holds the bytes of a message.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure a caller may want to tell apart.
    public enum Code: Hashable, Sendable, CaseIterable {
        /// The text is not an endpoint this library accepts.
        case invalidEndpoint
        /// The path of an `ipc://` endpoint has more bytes than a Unix socket address holds.
        case pathTooLong
        /// Another socket is bound to the endpoint.
        case addressInUse
        /// The address belongs to no interface of this machine.
        case addressNotAvailable
        /// The endpoint, or the directory of its path, does not exist.
        case notFound
        /// The system does not permit the operation.
        case permissionDenied
        /// The context was terminated.
        case contextTerminated
        /// The socket was closed.
        case socketClosed
        /// The context has as many sockets, or the process as many descriptors, as it may.
        case tooManySockets
        /// The kind of socket cannot do this now: a REQ that awaits its reply cannot send.
        case wrongState
        /// The kind of socket can never do this: a PUB cannot receive.
        case notSupported
        /// libzmq refuses a value.
        case invalidArgument
        /// The system has no memory or threads left.
        case outOfResources
        /// Anything else; `errno` says what.
        case system
    }

    /// The kind of failure.
    public let code: Code

    /// The error number of libzmq or of the system; 0 where no call failed.
    public let errno: Int32

    /// What was being done, and to what: `bind ipc:///run/fleet/stream`.
    public let context: String

    /// A failure found before any call was made.
    init(_ code: Code, context: String) {
        self.code = code
        self.errno = 0
        self.context = context
    }

    /// A failed call, with the error number it left.
    init(errno: Int32, context: String) {
        self.code = Code(errno: errno)
        self.errno = errno
        self.context = context
    }

    /// The libzmq call that just failed on this thread.
    static func last(_ context: String) -> BusError {
        BusError(errno: zmq_errno(), context: context)
    }

    /// One sentence on what failed, with the system's words for it, and one on what to try.
    public var description: String {
        guard errno != 0 else { return "\(context): \(code.advice)" }
        return "\(context): \(String(cString: zmq_strerror(errno))) (errno \(errno)); \(code.advice)"
    }
}
