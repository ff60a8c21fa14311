internal import CZMQ

/// Approvals of an XPUB with ``SocketOptions/approvesSubscriptions``.
///
/// An approval concerns the sender of the subscription that was received last. libzmq 4.3.4 gets that wrong
/// in three cases:
///
/// - Behind a message other than a subscription, and until ``Socket/receive(into:)`` finds the queue empty,
///   an approval may concern the sender of a later message.
/// - If the peer has gone, the approval names freed memory, and publishing under its topic reads that. The
///   ends of the peer's subscriptions are received behind its messages. So the peer was there if the queue is
///   empty and the subscription has not ended.
/// - Another peer may have the same address by then.
///
/// So give each approval a topic of its own, approve nothing behind a message other than a subscription, and
/// publish under the topic only after the queue was empty and if the subscription has not ended.
extension Socket {
    /// Lets the sender of the last subscription receive messages whose topic begins with this one.
    ///
    /// - Throws: `invalidArgument` for more than ``prefixLimitBytes`` bytes and on a socket without
    ///   ``SocketOptions/approvesSubscriptions``, `socketClosed` or `contextTerminated`.
    public func approve(topic: [UInt8]) throws(BusError) {
        try checkPrefix(topic, "approve")
        try set(ZMQ_SUBSCRIBE, to: topic, name: "approve")
    }
}
