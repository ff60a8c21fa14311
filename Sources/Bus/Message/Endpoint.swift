internal import Glibc

/// Where a socket binds or connects: `tcp://host:port`, `ipc://path` or `inproc://name`.
///
/// No other transport is accepted: those compiled into libzmq 4.3.4 lack later crash fixes.
public struct Endpoint: Hashable, Sendable, CustomStringConvertible {
    /// The maximum number of bytes of an ipc path: a Unix socket address has them before its final zero.
    public static let ipcPathLimitBytes = 107

    /// The maximum number of bytes of a host name, after RFC 1035.
    public static let hostLimitBytes = 253

    /// The maximum number of bytes of an inproc name.
    public static let inprocNameLimitBytes = 255

    enum Transport: Hashable, Sendable {
        case tcp(host: String, port: String)
        case ipc(path: String)
        case inproc(name: String)
    }

    let transport: Transport

    /// Parses an endpoint as ZeroMQ writes it.
    ///
    /// A tcp host is a name, an IPv4 address, an IPv6 address in brackets, or `*` for every interface; the
    /// port is 0 to 65535, or `*` or 0 for one the system chooses (see ``Socket/lastEndpoint``). An ipc
    /// path may not be `*` or begin with `@`, which would make a socket without a file.
    ///
    /// - Throws: `invalidEndpoint`, or `pathTooLong` with the limit and the length.
    public init(_ text: String) throws(BusError) {
        if let rest = Self.rest(of: text, after: "tcp://") {
            transport = try Self.parseTCP(rest, in: text)
        } else if let path = Self.rest(of: text, after: "ipc://") {
            transport = .ipc(path: try Self.checkedPath(path))
        } else if let name = Self.rest(of: text, after: "inproc://") {
            transport = .inproc(name: try Self.checkedName(name))
        } else {
            throw BusError(.invalidEndpoint, context: "parse endpoint '\(text)', of no known transport")
        }
    }

    /// A Unix socket at a path of 1 to ``ipcPathLimitBytes`` bytes, whose directory exists.
    ///
    /// - Throws: `invalidEndpoint`, or `pathTooLong` with the limit and the length.
    public static func ipc(path: String) throws(BusError) -> Endpoint { try Endpoint("ipc://" + path) }

    /// A place within the context, of 1 to ``inprocNameLimitBytes`` bytes.
    ///
    /// - Throws: `invalidEndpoint`.
    public static func inproc(_ name: String) throws(BusError) -> Endpoint {
        try Endpoint("inproc://" + name)
    }

    /// A tcp port of a host; port 0 lets the system choose one at bind.
    ///
    /// - Parameters:
    ///   - host: A name, an IPv4 address, an IPv6 address in brackets, or `*`.
    ///   - port: The port. Keep servers below 32768: above, a client that reconnects may get the server's
    ///     port as its own and connect to itself.
    /// - Throws: `invalidEndpoint`.
    public static func tcp(host: String, port: UInt16) throws(BusError) -> Endpoint {
        try Endpoint("tcp://\(host):\(port)")
    }

    /// The path of an ipc endpoint; nil for the others.
    public var ipcPath: String? {
        if case .ipc(let path) = transport { path } else { nil }
    }

    /// Whether it is a tcp endpoint that cannot be reached from another machine.
    ///
    /// True for 127.0.0.0/8, `localhost` and `[::1]` in any spelling; false for ipc, inproc and every other
    /// host.
    public var isLoopback: Bool {
        guard case .tcp(let host, _) = transport else { return false }
        if host.lowercased() == "localhost" || Self.isIPv6Loopback(host) { return true }
        var address = in_addr()
        return inet_pton(AF_INET, host, &address) == 1 && UInt32(bigEndian: address.s_addr) >> 24 == 127
    }

    var isInproc: Bool {
        if case .inproc = transport { true } else { false }
    }

    var isIPv6: Bool {
        if case .tcp(let host, _) = transport { host.hasPrefix("[") } else { false }
    }

    /// The endpoint as ZeroMQ writes it.
    public var description: String {
        switch transport {
        case .tcp(let host, let port): "tcp://\(host):\(port)"
        case .ipc(let path): "ipc://\(path)"
        case .inproc(let name): "inproc://\(name)"
        }
    }
}

extension Endpoint {
    static func rest(of text: String, after prefix: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        return String(text.dropFirst(prefix.count))
    }

    /// Parses a host and a port, split at the last colon.
    static func parseTCP(_ rest: String, in text: String) throws(BusError) -> Transport {
        guard let colon = rest.lastIndex(of: ":") else {
            throw BusError(.invalidEndpoint, context: "parse endpoint '\(text)', which has no port")
        }
        let host = String(rest[..<colon])
        let port = String(rest[rest.index(after: colon)...])
        guard isHost(host) else {
            throw BusError(.invalidEndpoint, context: "parse endpoint '\(text)', whose host is invalid")
        }
        guard port == "*" || isPort(port) else {
            throw BusError(.invalidEndpoint, context: "parse endpoint '\(text)', whose port is invalid")
        }
        return .tcp(host: host, port: port == "0" ? "*" : port)
    }

    static func checkedPath(_ path: String) throws(BusError) -> String {
        guard !path.isEmpty, path != "*", !path.hasPrefix("@"), !path.utf8.contains(0) else {
            throw BusError(.invalidEndpoint, context: "parse endpoint 'ipc://\(path)', which names no file")
        }
        guard path.utf8.count <= ipcPathLimitBytes else {
            let sizes = "\(path.utf8.count) bytes where \(ipcPathLimitBytes) are the limit"
            throw BusError(.pathTooLong, context: "parse endpoint 'ipc://\(path)', whose path has \(sizes)")
        }
        return path
    }

    static func checkedName(_ name: String) throws(BusError) -> String {
        guard 1...inprocNameLimitBytes ~= name.utf8.count, !name.utf8.contains(0) else {
            let sizes = "\(name.utf8.count) bytes where 1 to \(inprocNameLimitBytes) are allowed"
            throw BusError(.invalidEndpoint, context: "parse an inproc endpoint, whose name has \(sizes)")
        }
        return name
    }

    /// Whether a host in brackets is the IPv6 address of the loopback interface, in any of its spellings.
    private static func isIPv6Loopback(_ host: String) -> Bool {
        var (address, loopback) = (in6_addr(), in6addr_loopback)
        guard host.hasPrefix("["), inet_pton(AF_INET6, String(host.dropFirst().dropLast()), &address) == 1
        else { return false }
        return memcmp(&address, &loopback, MemoryLayout<in6_addr>.size) == 0
    }

    private static func isPort(_ text: String) -> Bool {
        text.utf8.allSatisfy { 48...57 ~= $0 } && UInt16(text) != nil
    }

    private static func isHost(_ text: String) -> Bool {
        if text == "*" { return true }
        if text.hasPrefix("["), text.hasSuffix("]") {
            var address = in6_addr()
            return inet_pton(AF_INET6, String(text.dropFirst().dropLast()), &address) == 1
        }
        return 1...hostLimitBytes ~= text.utf8.count && text.utf8.allSatisfy(isHostByte)
    }

    /// Returns whether a byte is a letter, digit, hyphen, full stop, or underscore, which some networks use.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default: false
        }
    }

    /// The first IPv4 address of this machine, other than the loopback's; nil without one.
    public static var addressOfThisMachine: String? {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { return nil }
        // The list is valid until it is freed, after the last use of `next`.
        defer { freeifaddrs(list) }
        var next = list
        while let interface = next?.pointee {
            next = interface.ifa_next
            let state = interface.ifa_flags & UInt32(IFF_UP | IFF_LOOPBACK)
            guard state == UInt32(IFF_UP), let address = interface.ifa_addr,
                address.pointee.sa_family == sa_family_t(AF_INET)
            else { continue }
            var text = [CChar](repeating: 0, count: Int(NI_MAXHOST))
            let size = socklen_t(MemoryLayout<sockaddr_in>.size)
            guard getnameinfo(address, size, &text, socklen_t(text.count), nil, 0, NI_NUMERICHOST) == 0 else {
                continue
            }
            return String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        }
        return nil
    }
}
