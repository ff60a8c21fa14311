internal import CZMQ

/// The events a ``Monitor`` is to report.
public struct ConnectionEventMask: OptionSet, Sendable {
    /// libzmq's bits.
    public let rawValue: Int32

    /// The events of libzmq's bits.
    public init(rawValue: Int32) {
        self.rawValue = rawValue
    }

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
    /// Every event, and that there will be no more.
    public static let all = Self(rawValue: ZMQ_EVENT_ALL)
}
