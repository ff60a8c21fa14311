internal import CZMQ

/// What happened to a connection of a monitored socket.
public enum ConnectionEvent: Hashable, Sendable {
    /// The transport is connected; the handshake follows.
    case connected
    /// A first attempt to connect is under way.
    case connectDelayed
    /// An attempt to connect failed; the next follows after the duration.
    case connectRetried(Duration)
    /// The socket is bound and takes connections.
    case listening
    /// A bind failed, with the system's error number.
    case bindFailed(errno: Int32)
    /// A peer has connected; the handshake follows.
    case accepted
    /// A peer could not be accepted, with the system's error number: often no descriptor was left.
    case acceptFailed(errno: Int32)
    /// A connection or a bound endpoint was closed from here.
    case closed
    /// A connection could not be closed, with the system's error number.
    case closeFailed(errno: Int32)
    /// A connection was lost, or ended by the peer.
    case disconnected
    /// The peer is ready for messages.
    case handshakeSucceeded
    /// The peer was refused, or refused us.
    case handshakeFailed(HandshakeFailure)
    /// The socket was closed or its monitor was; no event follows.
    case stopped

    /// The event of libzmq's number and value; nil for one this library does not know.
    init?(number: Int32, value: UInt32) {
        let errno = Int32(truncatingIfNeeded: value)
        switch number {
        case ZMQ_EVENT_CONNECTED: self = .connected
        case ZMQ_EVENT_CONNECT_DELAYED: self = .connectDelayed
        case ZMQ_EVENT_CONNECT_RETRIED: self = .connectRetried(.milliseconds(value))
        case ZMQ_EVENT_LISTENING: self = .listening
        case ZMQ_EVENT_BIND_FAILED: self = .bindFailed(errno: errno)
        case ZMQ_EVENT_ACCEPTED: self = .accepted
        case ZMQ_EVENT_ACCEPT_FAILED: self = .acceptFailed(errno: errno)
        case ZMQ_EVENT_CLOSED: self = .closed
        case ZMQ_EVENT_CLOSE_FAILED: self = .closeFailed(errno: errno)
        case ZMQ_EVENT_DISCONNECTED: self = .disconnected
        case ZMQ_EVENT_MONITOR_STOPPED: self = .stopped
        case ZMQ_EVENT_HANDSHAKE_SUCCEEDED: self = .handshakeSucceeded
        case ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL: self = .handshakeFailed(.system(errno: errno))
        case ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL: self = .handshakeFailed(.protocolViolation(code: value))
        case ZMQ_EVENT_HANDSHAKE_FAILED_AUTH: self = .handshakeFailed(.denied(status: value))
        default: return nil
        }
    }
}
