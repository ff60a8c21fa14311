/// A host: a name, an IPv4 address, or an IPv6 address. A user may write an IPv6 address with brackets or
/// without. Before a port it has them.
public struct NetworkHost: Hashable, Codable, Sendable, CustomStringConvertible {
    public static let loopback = NetworkHost(name: "127.0.0.1")

    /// The host as system calls expect it: an IPv6 address without brackets.
    public let name: String

    public init?(_ text: some StringProtocol) {
        let isBracketed = text.first == "[" && text.last == "]"
        // RFC 6874: the zone of an address, such as `%eth0`, begins with `%25` in a URL.
        let name =
            isBracketed ? String(text.dropFirst().dropLast()).replacing("%25", with: "%") : String(text)
        guard name.contains(":") ? Self.isAddress(name) : !isBracketed && Self.isName(name) else {
            return nil
        }
        self.name = name
    }

    private init(name: String) { self.name = name }

    /// Whether it is this machine, as a name or as an address of the loopback interface.
    public var isLoopback: Bool { name == "localhost" || IPAddress(name)?.isLoopback ?? false }

    /// Whether it stands for all addresses of this machine.
    public var isUnspecified: Bool { IPAddress(name)?.isUnspecified ?? false }

    /// The host at which this machine reaches a server that listens there.
    public var reached: NetworkHost {
        guard let address = IPAddress(name), address.isUnspecified else { return self }
        return address.bytes.count == 4 ? .loopback : NetworkHost(name: "::1")
    }

    /// The host as in a URL: an IPv6 address in brackets.
    public var description: String {
        name.contains(":") ? "[\(name.replacing("%", with: "%25"))]" : name
    }

    /// Whether a text is an IPv6 address, with a zone or without.
    private static func isAddress(_ text: String) -> Bool {
        let zone = text.firstIndex(of: "%").map { text[text.index(after: $0)...] }
        return IPAddress(text) != nil && zone.map(isName) ?? true
    }

    /// Whether a text has only letters, digits, and the marks that names on a network have.
    private static func isName(_ text: some StringProtocol) -> Bool {
        !text.isEmpty
            && text.utf8.allSatisfy { byte in
                switch byte {
                case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
                    UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"), UInt8(ascii: "."),
                    UInt8(ascii: "_"):
                    true
                default: false
                }
            }
    }
}

/// A host with a port, or without: `fleet.example.org:8701`, `[::1]:8701`, `localhost`.
public struct Authority: Hashable, Sendable, CustomStringConvertible {
    public let host: NetworkHost
    public let port: UInt16?

    public init(host: NetworkHost, port: UInt16?) { (self.host, self.port) = (host, port) }

    /// Parses a host and a port; nil for any other text, such as an IPv6 address without brackets.
    public init?(_ text: some StringProtocol) {
        let end =
            text.first == "["
            ? text.firstIndex(of: "]").map { text.index(after: $0) }
            : text.firstIndex(of: ":") ?? text.endIndex
        guard let end, let host = NetworkHost(text[..<end]) else { return nil }
        let number = text[end...].dropFirst()
        let port = number.utf8.allSatisfy { (48...57).contains($0) } ? UInt16(number) : nil
        guard end == text.endIndex || text[end] == ":" && port != nil else { return nil }
        self.init(host: host, port: port)
    }

    public var description: String { "\(host)" + (port.map { ":\($0)" } ?? "") }
}

/// The URL of a gateway: `http://127.0.0.1:8701` or `https://fleet.example.org`.
public struct GatewayURL: Codable, Equatable, Sendable, CustomStringConvertible {
    public let isSecure: Bool
    public let host: NetworkHost
    public let port: UInt16

    public init(isSecure: Bool, host: NetworkHost, port: UInt16) {
        (self.isSecure, self.host, self.port) = (isSecure, host, port)
    }

    /// Parses a URL; nil if it has another scheme, no host, a wrong port, or a path.
    public init?(_ text: String) {
        let schemes = [("http://", false), ("https://", true)]
        guard let (scheme, isSecure) = schemes.first(where: { text.hasPrefix($0.0) }) else { return nil }
        let rest = text.dropFirst(scheme.count)
        guard let authority = Authority(rest.last == "/" ? rest.dropLast() : rest), authority.port != 0
        else { return nil }
        self.init(
            isSecure: isSecure, host: authority.host,
            port: authority.port ?? Self.standardPort(isSecure: isSecure))
    }

    /// The host and the port, as in the header `Host`.
    public var authority: String {
        Authority(host: host, port: port == Self.standardPort(isSecure: isSecure) ? nil : port).description
    }

    public var description: String { "\(isSecure ? "https" : "http")://\(authority)" }

    private static func standardPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}
