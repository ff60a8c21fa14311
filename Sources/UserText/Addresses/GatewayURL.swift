/// The URL of a gateway: `http://127.0.0.1:8701` or `https://fleet.example.org`.
public struct GatewayURL: Codable, Equatable, Sendable, CustomStringConvertible {
    /// Whether the connections use TLS.
    public let isSecure: Bool
    /// The host.
    public let host: NetworkHost
    /// The port.
    public let port: UInt16

    /// The URL of those parts.
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

    /// The URL, without a slash at the end.
    public var description: String { "\(isSecure ? "https" : "http")://\(authority)" }

    private static func standardPort(isSecure: Bool) -> UInt16 { isSecure ? 443 : 80 }
}
