internal import CZMQ
internal import Glibc

extension Socket {
    /// Sets every option; before the first bind or connect only.
    func apply(_ options: SocketOptions) throws(BusError) {
        try set(ZMQ_LINGER, to: options.linger.wholeMilliseconds, name: "linger")
        try set(ZMQ_SNDHWM, to: Int32(clamping: options.sendHighWaterMark), name: "send mark")
        try set(ZMQ_RCVHWM, to: Int32(clamping: options.receiveHighWaterMark), name: "receive mark")
        // libzmq compares the size of an encrypted frame.
        let maxMessageBytes = Int64(options.maxMessageBytes + options.security.boxBytes)
        try setWide(ZMQ_MAXMSGSIZE, to: maxMessageBytes, name: "maximum message size")
        try setWide(ZMQ_AFFINITY, to: Int64(bitPattern: options.bounds?.affinity ?? 0), name: "affinity")
        try set(ZMQ_HANDSHAKE_IVL, to: options.handshakeInterval.wholeMilliseconds, name: "handshake")
        try set(ZMQ_CONNECT_TIMEOUT, to: options.reconnect.timeout.wholeMilliseconds, name: "connect timeout")
        try set(ZMQ_RECONNECT_IVL, to: options.reconnect.interval.wholeMilliseconds, name: "reconnect")
        try set(ZMQ_RECONNECT_IVL_MAX, to: options.reconnect.maximum.wholeMilliseconds, name: "backoff")
        try set(ZMQ_IMMEDIATE, to: options.immediate ? 1 : 0, name: "immediate")
        try set(ZMQ_SNDTIMEO, to: options.sendTimeout?.wholeMilliseconds ?? -1, name: "send timeout")
        try set(ZMQ_RCVTIMEO, to: options.receiveTimeout?.wholeMilliseconds ?? -1, name: "receive timeout")
        if kind == .router {
            try set(ZMQ_ROUTER_MANDATORY, to: options.routerMandatory ? 1 : 0, name: "mandatory routing")
        }
        if kind == .xpub {
            try set(ZMQ_XPUB_VERBOSE, to: options.everySubscription ? 1 : 0, name: "every subscription")
            try set(ZMQ_XPUB_MANUAL, to: options.approvesSubscriptions ? 1 : 0, name: "approvals")
        }
        try apply(options.security)
        if let heartbeat = options.heartbeat { try apply(heartbeat) }
        if let keepAlive = options.tcpKeepAlive { try apply(keepAlive) }
    }

    /// Sets the security of a socket; before the first bind or connect only.
    ///
    /// `ZMQ_ZAP_ENFORCE_DOMAIN` refuses peers while no authenticator is bound. Without it libzmq 4.3.4 admits
    /// everyone then.
    func apply(_ security: SocketSecurity) throws(BusError) {
        switch security {
        case .none: break
        case .server(let server):
            try set(ZMQ_CURVE_SERVER, to: 1, name: "CURVE server")
            try set(ZMQ_CURVE_SECRETKEY, to: server.keys.secretKey, name: "set the secret key")
            try set(ZMQ_ZAP_DOMAIN, to: Array(server.domain.utf8), name: "set the domain")
            try set(ZMQ_ZAP_ENFORCE_DOMAIN, to: 1, name: "enforced domain")
        case .client(let server, let keys):
            try set(ZMQ_CURVE_SERVERKEY, to: server.bytes, name: "set the server's key")
            try set(ZMQ_CURVE_PUBLICKEY, to: keys.publicKey.bytes, name: "set the public key")
            try set(ZMQ_CURVE_SECRETKEY, to: keys.secretKey, name: "set the secret key")
        }
    }

    private func apply(_ heartbeat: SocketOptions.Heartbeat) throws(BusError) {
        try set(ZMQ_HEARTBEAT_IVL, to: heartbeat.interval.wholeMilliseconds, name: "heartbeat interval")
        try set(ZMQ_HEARTBEAT_TIMEOUT, to: heartbeat.timeout.wholeMilliseconds, name: "heartbeat timeout")
        try set(ZMQ_HEARTBEAT_TTL, to: heartbeat.timeToLive.wholeMilliseconds, name: "heartbeat time to live")
    }

    private func apply(_ keepAlive: SocketOptions.TCPKeepAlive) throws(BusError) {
        try set(ZMQ_TCP_KEEPALIVE, to: 1, name: "keep-alive")
        try set(ZMQ_TCP_KEEPALIVE_IDLE, to: keepAlive.idle.wholeSeconds, name: "keep-alive idle")
        try set(ZMQ_TCP_KEEPALIVE_INTVL, to: keepAlive.interval.wholeSeconds, name: "keep-alive interval")
        try set(ZMQ_TCP_KEEPALIVE_CNT, to: Int32(clamping: keepAlive.count), name: "keep-alive count")
    }
}

/// One option at a time, in the shapes that libzmq has: 32 bits, 64 bits, bytes and texts.
///
/// libzmq copies within each call, so no pointer to a value outlives it.
extension Socket {
    func set(_ option: Int32, to value: Int32, name: String) throws(BusError) {
        var value = value
        let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int32>.size)
        try check(result, "set \(name) to \(value)")
    }

    func setWide(_ option: Int32, to value: Int64, name: String) throws(BusError) {
        var value = value
        let result = zmq_setsockopt(handle, option, &value, MemoryLayout<Int64>.size)
        try check(result, "set \(name) to \(value)")
    }

    func set(_ option: Int32, to bytes: [UInt8], name: String) throws(BusError) {
        let result = bytes.withUnsafeBytes { zmq_setsockopt(handle, option, $0.baseAddress, $0.count) }
        try check(result, name)
    }

    func read(_ option: Int32, name: String) throws(BusError) -> Int32 {
        var value: Int32 = 0
        var size = MemoryLayout<Int32>.size
        try check(zmq_getsockopt(handle, option, &value, &size), "read \(name)")
        return value
    }

    func readText(_ option: Int32, name: String) throws(BusError) -> String {
        // Longer than any endpoint: a tcp host is the longest part of one, with 253 bytes.
        var bytes = [UInt8](repeating: 0, count: 512)
        var size = bytes.count
        try check(zmq_getsockopt(handle, option, &bytes, &size), "read \(name)")
        // libzmq counts the terminating zero.
        return String(decoding: bytes.prefix(max(size - 1, 0)), as: UTF8.self)
    }
}
