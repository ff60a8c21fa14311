import Glibc

/// Addresses and sockets of TCP over IPv4.
enum TCP {
    /// A host's name or address, and a port.
    struct Place {
        let host: String
        var port: UInt16

        /// Parses `HOST:PORT`.
        init(_ text: String) throws {
            let parts = text.split(separator: ":")
            guard parts.count == 2, let port = UInt16(parts[1]) else {
                throw Refused("\(text) is not HOST:PORT")
            }
            (host, self.port) = (String(parts[0]), port)
        }

        /// The place that many ports later; port 0, which the system chooses, stays.
        func later(by count: Int) -> Place {
            var place = self
            if port > 0 { place.port += UInt16(count) }
            return place
        }

        /// Its address now: a name may have another one each time.
        func address() throws -> sockaddr_in {
            var hints = addrinfo()
            hints.ai_family = AF_INET
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            var list: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(host, nil, &hints, &list) == 0, let first = list else {
                throw Refused("unknown host \(host)")
            }
            defer { freeaddrinfo(list) }
            var address = first.pointee.ai_addr.withMemoryRebound(to: sockaddr_in.self, capacity: 1) {
                $0.pointee
            }
            address.sin_port = port.bigEndian
            return address
        }
    }

    /// A socket that listens.
    static func listener(at place: Place) throws -> Int32 {
        let descriptor = try make()
        var isReused: Int32 = 1
        setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &isReused, 4)
        var address = try place.address()
        let result = with(&address) { bind(descriptor, $0, $1) }
        guard result == 0, listen(descriptor, 128) == 0 else {
            throw Refused("\(place.host):\(place.port): errno \(errno)")
        }
        return descriptor
    }

    /// The port at which a socket listens.
    static func port(of descriptor: Int32) -> UInt16 {
        var address = sockaddr_in()
        var size = socklen_t(MemoryLayout<sockaddr_in>.size)
        _ = with(&address) { pointer, _ in
            getsockname(descriptor, UnsafeMutablePointer(mutating: pointer), &size)
        }
        return UInt16(bigEndian: address.sin_port)
    }

    /// The next connection of a listener; nil if there is none.
    static func accept(_ listener: Int32) -> Int32? {
        let descriptor = Glibc.accept(listener, nil, nil)
        guard descriptor >= 0 else { return nil }
        prepare(descriptor)
        return descriptor
    }

    /// A socket that is being connected.
    static func connecting(to place: Place) throws -> Int32 {
        var address = try place.address()
        let descriptor = try make()
        guard with(&address, { connect(descriptor, $0, $1) }) == 0 || errno == EINPROGRESS else {
            close(descriptor)
            throw Refused("\(place.host):\(place.port): errno \(errno)")
        }
        return descriptor
    }

    /// Whether a socket that was being connected has failed.
    static func hasFailed(_ descriptor: Int32) -> Bool {
        var error: Int32 = 0
        var size = socklen_t(MemoryLayout<Int32>.size)
        return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &error, &size) != 0 || error != 0
    }

    /// Closes a connection with a reset.
    static func reset(_ descriptor: Int32) {
        var lingering = linger(l_onoff: 1, l_linger: 0)
        setsockopt(descriptor, SOL_SOCKET, SO_LINGER, &lingering, socklen_t(MemoryLayout<linger>.size))
        close(descriptor)
    }

    private static func make() throws -> Int32 {
        let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        guard descriptor >= 0 else { throw Refused("socket: errno \(errno)") }
        prepare(descriptor)
        return descriptor
    }

    /// Each write is a packet of its own, and none waits.
    private static func prepare(_ descriptor: Int32) {
        var isImmediate: Int32 = 1
        setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &isImmediate, 4)
        Descriptors.unblock(descriptor)
    }

    private static func with(
        _ address: inout sockaddr_in, _ call: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) -> Int32 {
        withUnsafeMutablePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                call($0, socklen_t(MemoryLayout<sockaddr_in>.size))
            }
        }
    }
}
