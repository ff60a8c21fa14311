import CZMQ

@testable import Bus

extension Socket {
    /// Reads back from libzmq the options in effect.
    ///
    /// `bounds`, `security`, `routerMandatory`, `everySubscription` and `approvesSubscriptions` have the
    /// values that were set, because libzmq cannot report them.
    ///
    /// - Throws: `socketClosed` or `contextTerminated`.
    func readOptions() throws(BusError) -> SocketOptions {
        var options = SocketOptions()
        options.linger = try readDuration(ZMQ_LINGER, name: "linger")
        options.sendHighWaterMark = try Int(read(ZMQ_SNDHWM, name: "send mark"))
        options.receiveHighWaterMark = try Int(read(ZMQ_RCVHWM, name: "receive mark"))
        options.maxMessageBytes = try Int(readWide(ZMQ_MAXMSGSIZE, name: "maximum message size"))
        options.maxMessageBytes -= self.options.security.boxBytes
        options.handshakeInterval = try readDuration(ZMQ_HANDSHAKE_IVL, name: "handshake")
        options.heartbeat = try readHeartbeat()
        options.reconnect.interval = try readDuration(ZMQ_RECONNECT_IVL, name: "reconnect")
        options.reconnect.maximum = try readDuration(ZMQ_RECONNECT_IVL_MAX, name: "backoff")
        options.reconnect.timeout = try readDuration(ZMQ_CONNECT_TIMEOUT, name: "connect timeout")
        options.immediate = try read(ZMQ_IMMEDIATE, name: "immediate") != 0
        (options.bounds, options.security) = (self.options.bounds, self.options.security)
        options.routerMandatory = kind == .router && self.options.routerMandatory
        options.everySubscription = kind == .xpub && self.options.everySubscription
        options.approvesSubscriptions = kind == .xpub && self.options.approvesSubscriptions
        options.tcpKeepAlive = try readKeepAlive()
        options.sendTimeout = try readTimeout(ZMQ_SNDTIMEO, name: "send timeout")
        options.receiveTimeout = try readTimeout(ZMQ_RCVTIMEO, name: "receive timeout")
        return options
    }

    private func readHeartbeat() throws(BusError) -> SocketOptions.Heartbeat? {
        let interval = try readDuration(ZMQ_HEARTBEAT_IVL, name: "heartbeat interval")
        guard interval > .zero else { return nil }
        return SocketOptions.Heartbeat(
            interval: interval, timeout: try readDuration(ZMQ_HEARTBEAT_TIMEOUT, name: "heartbeat timeout"),
            timeToLive: try readDuration(ZMQ_HEARTBEAT_TTL, name: "heartbeat time to live"))
    }

    private func readKeepAlive() throws(BusError) -> SocketOptions.TCPKeepAlive? {
        guard try read(ZMQ_TCP_KEEPALIVE, name: "keep-alive") == 1 else { return nil }
        return SocketOptions.TCPKeepAlive(
            idle: .seconds(try read(ZMQ_TCP_KEEPALIVE_IDLE, name: "keep-alive idle")),
            interval: .seconds(try read(ZMQ_TCP_KEEPALIVE_INTVL, name: "keep-alive interval")),
            count: Int(try read(ZMQ_TCP_KEEPALIVE_CNT, name: "keep-alive count")))
    }

    func readWide(_ option: Int32, name: String) throws(BusError) -> Int64 {
        var value: Int64 = 0
        var size = MemoryLayout<Int64>.size
        try check(zmq_getsockopt(handle, option, &value, &size), "read \(name)")
        return value
    }

    func readDuration(_ option: Int32, name: String) throws(BusError) -> Duration {
        .milliseconds(try read(option, name: name))
    }

    /// Reads a timeout; nil for libzmq's -1, no limit.
    func readTimeout(_ option: Int32, name: String) throws(BusError) -> Duration? {
        let milliseconds = try read(option, name: name)
        return milliseconds < 0 ? nil : .milliseconds(milliseconds)
    }
}
