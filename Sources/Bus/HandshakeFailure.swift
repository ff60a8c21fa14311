/// Why a handshake between two peers failed.
public enum HandshakeFailure: Hashable, Sendable {
    /// The connection failed under it, with the system's error number.
    case system(errno: Int32)
    /// The peer broke the protocol; the code is one of libzmq's `ZMQ_PROTOCOL_ERROR_` numbers.
    case protocolViolation(code: UInt32)
    /// The authenticator denied the peer, with its status: 300, 400 or 500.
    case denied(status: UInt32)
}
