internal import CZMQ
internal import Glibc

/// The failure of a call to libzmq or to the system.
///
/// The description says what failed, where, and what to try. It never holds the bytes of a message.
public struct BusError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The kinds of failure that a caller may distinguish.
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
        /// The limit on sockets of the context, or on descriptors of the process, is reached.
        case tooManySockets
        /// The kind of socket cannot do this now: a REQ that awaits its reply cannot send.
        case wrongState
        /// The kind of socket can never do this: a PUB cannot receive.
        case notSupported
        /// libzmq refuses a value.
        case invalidArgument
        /// The system has no memory or threads left.
        case outOfResources
        /// Any other failure, described by `errno`.
        case system
    }

    /// The kind of failure.
    public let code: Code

    /// The error number of libzmq or of the system; 0 where no call failed.
    public let errno: Int32

    /// The operation and its subject, such as `bind ipc:///run/fleet/stream`.
    public let context: String

    init(_ code: Code, context: String) {
        self.code = code
        self.errno = 0
        self.context = context
    }

    init(errno: Int32, context: String) {
        self.code = Code(errno: errno)
        (self.errno, self.context) = (errno, context)
    }

    static func last(_ context: String) -> BusError { BusError(errno: zmq_errno(), context: context) }

    /// The failed operation with the system's description of the failure, and what to try.
    public var description: String {
        guard errno != 0 else { return "\(context): \(code.advice)" }
        return "\(context): \(String(cString: zmq_strerror(errno))) (errno \(errno)); \(code.advice)"
    }
}

extension BusError.Code {
    /// The kind of failure an error number stands for.
    init(errno: Int32) {
        switch errno {
        case EADDRINUSE: self = .addressInUse
        case EADDRNOTAVAIL, ENODEV: self = .addressNotAvailable
        case ENOENT: self = .notFound
        case EACCES, EPERM: self = .permissionDenied
        case ETERM: self = .contextTerminated
        case ENOTSOCK: self = .socketClosed
        case EMFILE, ENFILE: self = .tooManySockets
        case EFSM: self = .wrongState
        case ENOTSUP: self = .notSupported
        case EINVAL: self = .invalidArgument
        case ENAMETOOLONG: self = .pathTooLong
        case ENOMEM, EAGAIN: self = .outOfResources
        default: self = .system
        }
    }

    var advice: String {
        switch self {
        case .invalidEndpoint: "write tcp://host:port, ipc://path or inproc://name"
        case .pathTooLong: "choose a shorter directory, such as the user's runtime directory"
        case .addressInUse: "stop the process that is bound there, or choose another endpoint"
        case .addressNotAvailable: "choose an address of this machine"
        case .notFound: "check that the endpoint is in use, or create the directory of its path"
        case .permissionDenied: "check the owner and the mode of the path, or choose a port above 1023"
        case .contextTerminated: "close the socket; the process is stopping"
        case .socketClosed: "create a new socket"
        case .tooManySockets: "raise maxSockets of the context or the process's limit on open files"
        case .wrongState: "receive the reply first, or send the request first"
        case .notSupported: "use a kind of socket that can"
        case .invalidArgument: "check the value against the bounds of its documentation"
        case .outOfResources: "free memory or threads, or raise the process's limits"
        case .system: "see the error number"
        }
    }
}

/// The libzmq that this process uses.
public enum LibZMQ {
    /// Its version, such as `4.3.4`.
    public static var version: String {
        var (major, minor, patch): (Int32, Int32, Int32) = (0, 0, 0)
        zmq_version(&major, &minor, &patch)
        return "\(major).\(minor).\(patch)"
    }
}
