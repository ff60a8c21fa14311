internal import Glibc

/// Creates listening sockets for libzmq, so that their connections can be guarded.
enum ListeningSocket {
    /// The maximum number of connections that wait for libzmq's thread to accept them; each waits about 30 us
    /// per connection before it.
    private static let backlog: Int32 = 1_024

    static func descriptor(at endpoint: Endpoint) throws(BusError) -> Int32 {
        let descriptor: Int32 =
            switch endpoint.transport {
            case .ipc(let path): listening(atPath: path)
            case .tcp(let host, let port): listening(atHost: host, port: port == "*" ? "0" : port)
            case .inproc: -1
            }
        guard descriptor >= 0 else { throw BusError(errno: errno, context: "bind \(endpoint)") }
        return descriptor
    }

    /// Listens at a path, whose file is replaced; -1 with the reason in `errno` if that fails.
    private static func listening(atPath path: String) -> Int32 {
        unlink(path)
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        // An endpoint's path is at most ``Endpoint/ipcPathLimitBytes`` bytes, so a zero byte follows it.
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix(107)) }
        return withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                listening(at: $0, socklen_t(MemoryLayout<sockaddr_un>.size), family: AF_UNIX)
            }
        }
    }

    private static func listening(atHost host: String, port: String) -> Int32 {
        let isIPv6 = host.hasPrefix("[")
        let families = host == "*" ? [AF_INET6, AF_INET] : isIPv6 ? [AF_INET6] : [AF_INET, AF_INET6]
        let name = host == "*" ? nil : isIPv6 ? String(host.dropFirst().dropLast()) : host
        for family in families {
            var hints = addrinfo()
            hints.ai_family = family
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
            hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
            var found: UnsafeMutablePointer<addrinfo>?
            guard getaddrinfo(name, port, &hints, &found) == 0, let found else {
                errno = EADDRNOTAVAIL
                continue
            }
            defer { freeaddrinfo(found) }
            let descriptor = listening(at: found.pointee.ai_addr, found.pointee.ai_addrlen, family: family)
            if descriptor >= 0 || (errno != EAFNOSUPPORT && errno != EADDRNOTAVAIL) { return descriptor }
        }
        return -1
    }

    private static func listening(
        at address: UnsafePointer<sockaddr>, _ size: socklen_t, family: Int32
    ) -> Int32 {
        let kind = SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue
        let descriptor = socket(family, Int32(kind), 0)
        guard descriptor >= 0 else { return -1 }
        var (yes, no): (Int32, Int32) = (1, 0)
        let flagBytes = socklen_t(MemoryLayout<Int32>.size)
        if family != AF_UNIX { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, flagBytes) }
        if family == AF_INET6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &no, flagBytes) }
        guard bind(descriptor, address, size) == 0, listen(descriptor, backlog) == 0 else {
            let failure = errno
            Glibc.close(descriptor)
            errno = failure
            return -1
        }
        return descriptor
    }
}
