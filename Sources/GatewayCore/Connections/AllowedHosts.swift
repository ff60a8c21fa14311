/// The names by which the gateway may be asked.
///
/// A web page whose own name is made to lead to this machine (DNS rebinding) is of the gateway's origin to
/// its browser, but says that name in `Host`. An address cannot be made to lead elsewhere.
public struct AllowedHosts: Sendable {
    private let bound: IPAddress?
    private let names: Set<String>

    /// The names of this machine to itself, what the gateway is bound to, and the public ones.
    ///
    /// - Parameter bound: The address or name at which it listens; that for all addresses allows each.
    public init(bound: String, publicNames: [String]) {
        let address = IPAddress(bound)
        self.bound = address
        names = Set(((address == nil ? [bound] : []) + publicNames).map(Self.host))
    }

    /// Whether a request may be for that host, with a port or without.
    public func allows(_ authority: String) -> Bool {
        let host = Self.host(of: authority)
        if names.contains(host) || host == "localhost" || host.hasSuffix(".localhost") { return true }
        guard let address = IPAddress(host) else { return false }
        return address.isLoopback || address == bound || bound?.isUnspecified ?? false
    }

    private static func host(of authority: String) -> String {
        let text = authority.lowercased()
        if text.hasPrefix("[") { return String(text.dropFirst().prefix { $0 != "]" }) }
        let host = text.prefix { $0 != ":" }
        return String(host.hasSuffix(".") ? host.dropLast() : host)
    }
}
