/// The URL of a gateway: `http://127.0.0.1:8701/` or `https://fleet.example.org`.
public struct GatewayURL: Codable, Equatable, Sendable, CustomStringConvertible {
    /// Whether the connections use TLS.
    public let isSecure: Bool
    /// The host name or address; an IPv6 address without its brackets.
    public let host: String
    /// The port.
    public let port: Int

    /// Parses a URL.
    ///
    /// - Throws: ``PlanError`` if it has another scheme, no host, a wrong port, or a path.
    public init(_ text: String) throws(PlanError) {
        let problem = PlanError("'\(text)' is not a gateway's URL such as http://127.0.0.1:8701")
        let schemes = [("http://", false, 80), ("https://", true, 443)]
        guard let (scheme, isSecure, defaultPort) = schemes.first(where: { text.hasPrefix($0.0) })
        else { throw problem }
        var rest = text.dropFirst(scheme.count)
        if rest.last == "/" { rest.removeLast() }
        var port = defaultPort
        if let colon = rest.lastIndex(of: ":"), rest.last != "]" {
            guard let number = UInt16(rest[rest.index(after: colon)...]), number > 0 else {
                throw problem
            }
            port = Int(number)
            rest = rest[..<colon]
        }
        if rest.first == "[", rest.last == "]" {
            rest = rest.dropFirst().dropLast()
        } else if rest.contains(":") {
            throw problem
        }
        let isName = rest.allSatisfy {
            $0.isASCII && ($0.isLetter || $0.isNumber || ".-:".contains($0))
        }
        guard !rest.isEmpty, isName else { throw problem }
        (self.isSecure, host, self.port) = (isSecure, String(rest), port)
    }

    /// The host and the port, as in the header `Host`.
    public var authority: String {
        let host = host.contains(":") ? "[\(host)]" : host
        return port == (isSecure ? 443 : 80) ? host : "\(host):\(port)"
    }

    /// The URL.
    public var description: String { "\(isSecure ? "https" : "http")://\(authority)" }
}
