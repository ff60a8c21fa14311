import CZMQ

@testable import Bus

extension Socket {
    /// Reads the options in effect back from libzmq; those that it cannot report are the ones that were set.
    func readOptions() throws(BusError) -> SocketOptions {
        var options = self.options
        options.linger = try duration(ZMQ_LINGER)
        options.sendHighWaterMark = try Int(read(ZMQ_SNDHWM, name: "send mark"))
        options.receiveHighWaterMark = try Int(read(ZMQ_RCVHWM, name: "receive mark"))
        options.maxMessageBytes = try Int(readWide(ZMQ_MAXMSGSIZE)) - options.security.boxBytes
        options.handshakeInterval = try duration(ZMQ_HANDSHAKE_IVL)
        options.reconnect.interval = try duration(ZMQ_RECONNECT_IVL)
        options.reconnect.maximum = try duration(ZMQ_RECONNECT_IVL_MAX)
        options.reconnect.timeout = try duration(ZMQ_CONNECT_TIMEOUT)
        options.immediate = try read(ZMQ_IMMEDIATE, name: "immediate") != 0
        (options.sendTimeout, options.receiveTimeout) = (try timeout(ZMQ_SNDTIMEO), try timeout(ZMQ_RCVTIMEO))
        let interval = try duration(ZMQ_HEARTBEAT_IVL)
        options.heartbeat =
            try interval == .zero
            ? nil
            : .init(
                interval: interval, timeout: duration(ZMQ_HEARTBEAT_TIMEOUT),
                timeToLive: duration(ZMQ_HEARTBEAT_TTL))
        options.tcpKeepAlive =
            try read(ZMQ_TCP_KEEPALIVE, name: "keep-alive") != 1
            ? nil
            : .init(
                idle: .seconds(read(ZMQ_TCP_KEEPALIVE_IDLE, name: "idle")),
                interval: .seconds(read(ZMQ_TCP_KEEPALIVE_INTVL, name: "interval")),
                count: Int(read(ZMQ_TCP_KEEPALIVE_CNT, name: "count")))
        return options
    }

    func readWide(_ option: Int32) throws(BusError) -> Int64 {
        var (value, size) = (Int64(0), MemoryLayout<Int64>.size)
        try check(zmq_getsockopt(handle, option, &value, &size), "read option \(option)")
        return value
    }

    private func duration(_ option: Int32) throws(BusError) -> Duration {
        .milliseconds(try read(option, name: "option \(option)"))
    }

    /// A timeout; nil for libzmq's -1, no limit.
    private func timeout(_ option: Int32) throws(BusError) -> Duration? {
        let value = try duration(option)
        return value < .zero ? nil : value
    }
}
