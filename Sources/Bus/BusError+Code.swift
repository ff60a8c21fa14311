internal import CZMQ
internal import Glibc

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

    /// What to try, as the end of a description.
    var advice: String {
        switch self {
        case .invalidEndpoint:
            "write tcp://host:port, ipc://path or inproc://name"
        case .pathTooLong:
            "choose a shorter directory, such as the user's runtime directory"
        case .addressInUse:
            "stop the process that is bound there, or choose another endpoint"
        case .addressNotAvailable:
            "choose an address of this machine"
        case .notFound:
            "check that the endpoint is in use, or create the directory of its path"
        case .permissionDenied:
            "check the owner and the mode of the path, or choose a port above 1023"
        case .contextTerminated:
            "close the socket; the process is stopping"
        case .socketClosed:
            "create a new socket"
        case .tooManySockets:
            "raise maxSockets of the context or the process's limit on open files"
        case .wrongState:
            "receive the reply first, or send the request first"
        case .notSupported:
            "use a kind of socket that can"
        case .invalidArgument:
            "check the value against the bounds of its documentation"
        case .outOfResources:
            "free memory or threads, or raise the process's limits"
        case .system:
            "see the error number"
        }
    }
}
