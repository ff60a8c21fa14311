internal import Glibc

extension Endpoint {
    /// What follows a prefix; nil when the text begins otherwise.
    static func rest(of text: String, after prefix: String) -> String? {
        guard text.hasPrefix(prefix) else { return nil }
        return String(text.dropFirst(prefix.count))
    }

    /// A host and a port, split at the last colon.
    static func parseTCP(_ rest: String, in text: String) throws(BusError) -> Transport {
        guard let colon = rest.lastIndex(of: ":") else {
            throw BusError(.invalidEndpoint, context: "parse endpoint '\(text)', which has no port")
        }
        let host = String(rest[..<colon])
        let port = String(rest[rest.index(after: colon)...])
        guard isHost(host) else {
            throw BusError(.invalidEndpoint, context: "parse endpoint '\(text)', whose host is not one")
        }
        guard port == "*" || isPort(port) else {
            throw BusError(.invalidEndpoint, context: "parse endpoint '\(text)', whose port is not one")
        }
        return .tcp(host: host, port: port == "0" ? "*" : port)
    }

    /// A path that libzmq can bind and that is a file.
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

    /// A name that libzmq takes.
    static func checkedName(_ name: String) throws(BusError) -> String {
        guard 1...inprocNameLimitBytes ~= name.utf8.count, !name.utf8.contains(0) else {
            let sizes = "\(name.utf8.count) bytes where 1 to \(inprocNameLimitBytes) are allowed"
            throw BusError(.invalidEndpoint, context: "parse an inproc endpoint, whose name has \(sizes)")
        }
        return name
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

    /// Letters, digits, hyphen, full stop, and the underscore some networks use.
    private static func isHostByte(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
            UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"):
            true
        default:
            false
        }
    }
}
