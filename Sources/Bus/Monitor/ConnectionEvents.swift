internal import CZMQ

/// An event of a connection of a monitored socket.
public enum ConnectionEvent: Hashable, Sendable {
    /// The transport is connected; the handshake follows.
    case connected
    /// A first attempt to connect is under way.
    case connectDelayed
    /// An attempt to connect failed; the next follows after the duration.
    case connectRetried(Duration)
    /// The socket is bound and accepts connections.
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
    /// The handshake failed on either side.
    case handshakeFailed(HandshakeFailure)
    /// The socket was closed or its monitor was; no event follows.
    case stopped

    /// The event with libzmq's number and value; nil for an unknown one.
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

/// The events that a ``Monitor`` reports.
public struct ConnectionEventMask: OptionSet, Sendable {
    /// libzmq's bits.
    public let rawValue: Int32

    /// The events with libzmq's bits.
    public init(rawValue: Int32) { self.rawValue = rawValue }

    /// The transport was connected, from here or by a peer.
    public static let connects = Self(rawValue: ZMQ_EVENT_CONNECTED | ZMQ_EVENT_ACCEPTED)
    /// An attempt to connect is under way or failed.
    public static let attempts = Self(rawValue: ZMQ_EVENT_CONNECT_DELAYED | ZMQ_EVENT_CONNECT_RETRIED)
    /// A handshake succeeded or failed.
    public static let handshakes = Self(
        rawValue: ZMQ_EVENT_HANDSHAKE_SUCCEEDED | ZMQ_EVENT_HANDSHAKE_FAILED_NO_DETAIL
            | ZMQ_EVENT_HANDSHAKE_FAILED_PROTOCOL | ZMQ_EVENT_HANDSHAKE_FAILED_AUTH)
    /// A connection was lost or closed.
    public static let disconnects = Self(
        rawValue: ZMQ_EVENT_DISCONNECTED | ZMQ_EVENT_CLOSED | ZMQ_EVENT_CLOSE_FAILED)
    /// A bind succeeded or failed, or a peer could not be accepted.
    public static let binds = Self(
        rawValue: ZMQ_EVENT_LISTENING | ZMQ_EVENT_BIND_FAILED | ZMQ_EVENT_ACCEPT_FAILED)
    /// Every event, including `stopped`.
    public static let all = Self(rawValue: ZMQ_EVENT_ALL)
}

/// The events of one monitored socket, as a sequence for one reader.
///
/// Any task may read them. They end after `stopped`, or when the monitor is closed. The end of the loop, and
/// the cancellation or release of the reader, close the monitor. Of two readers each would get only some of
/// the events.
///
/// Up to a limit of unread events are buffered; beyond it the oldest is dropped, and the numbers of the
/// reports have a gap. The loop never waits for the reader.
public struct ConnectionEvents: AsyncSequence, Sendable {
    private let stream: AsyncStream<ConnectionReport>

    init(_ stream: AsyncStream<ConnectionReport>) { self.stream = stream }

    /// Returns an iterator, whose `next()` is nil once the events have ended or the task is cancelled.
    public func makeAsyncIterator() -> AsyncStream<ConnectionReport>.Iterator { stream.makeAsyncIterator() }
}

/// Numbers the events of a monitor and passes them to their reader, whose sequence its `deinit` finishes.
///
/// Only the loop's registration of the monitor retains it, so it is released when the monitor or the loop
/// ends, on the loop's thread.
///
/// `@unchecked Sendable`: other threads hold only a weak reference, which they pass to the loop's thread;
/// only that thread accesses its fields. After the loop has released it, the weak reference is nil.
final class ConnectionFeed: @unchecked Sendable {
    private let monitor: Monitor
    private let continuation: AsyncStream<ConnectionReport>.Continuation
    private var lastNumber: UInt64 = 0

    init(of monitor: Monitor, into continuation: AsyncStream<ConnectionReport>.Continuation) {
        (self.monitor, self.continuation) = (monitor, continuation)
    }

    deinit { continuation.finish() }

    func report(_ event: ConnectionEvent, at endpoint: String) {
        lastNumber += 1
        continuation.yield(ConnectionReport(number: lastNumber, event: event, endpoint: endpoint))
    }

    func close() { monitor.close() }
}

/// One event of a monitored socket, with its endpoint and its number in the sequence.
public struct ConnectionReport: Hashable, Sendable {
    /// The number of the event in its sequence, from 1; a gap shows how many were lost before it.
    public let number: UInt64
    /// The event.
    public let event: ConnectionEvent
    /// The endpoint as libzmq reports it: only a path for a failed bind, and empty for `stopped`.
    public let endpoint: String
}

/// Why a handshake between two peers failed.
public enum HandshakeFailure: Hashable, Sendable {
    /// The connection failed under it, with the system's error number.
    case system(errno: Int32)
    /// The peer broke the protocol; the code is one of libzmq's `ZMQ_PROTOCOL_ERROR_` numbers.
    case protocolViolation(code: UInt32)
    /// The authenticator denied the peer, with its status: 300, 400 or 500.
    case denied(status: UInt32)
}
