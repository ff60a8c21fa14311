internal import CZMQ

/// What a loop waits for at a socket or a descriptor.
struct Readiness: OptionSet {
    /// libzmq's bits.
    let rawValue: Int16

    /// There is something to receive.
    static let readable = Self(rawValue: Int16(ZMQ_POLLIN))
    /// There is room to send.
    static let writable = Self(rawValue: Int16(ZMQ_POLLOUT))
}
