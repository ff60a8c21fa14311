public import UserText

extension IPAddress {
    /// Returns the client's address of a request: the peer's, or, for a trusted proxy, the last entry of
    /// `X-Forwarded-For` that is not a trusted proxy. The client can forge all entries further to the left.
    public static func client(
        behind peer: IPAddress, forwarded: [String], trusting proxies: [IPNetwork]
    ) -> IPAddress {
        var client = peer
        for text in forwarded.flatMap({ $0.split(separator: ",") }).reversed() {
            guard proxies.contains(where: { $0.contains(client) }),
                let next = IPAddress(text.filter { $0 != " " })
            else { break }
            client = next
        }
        return client
    }
}

/// The host names for which the gateway answers requests. This prevents DNS rebinding: a web page whose name
/// resolves to this machine is of the gateway's origin to a browser, but has its own name in `Host`. An
/// address in `Host` cannot be forged in this way.
public struct AllowedHosts: Sendable {
    private let bound: IPAddress?
    private let names: Set<String>

    /// Creates the set of the loopback names, the bound address and the public names. A bound unspecified
    /// address allows any address.
    public init(bound: String, publicNames: [String]) {
        let address = IPAddress(bound)
        self.bound = address
        names = Set(((address == nil ? [bound] : []) + publicNames).map { Self.host(of: $0) ?? $0 })
    }

    /// Whether requests for a host are allowed, with or without a port.
    public func allows(_ field: String) -> Bool {
        guard let host = Self.host(of: field) else { return false }
        if names.contains(host) || host == "localhost" || host.hasSuffix(".localhost") { return true }
        guard let address = IPAddress(host) else { return false }
        return address.isLoopback || address == bound || bound?.isUnspecified ?? false
    }

    /// Returns the host of a header `Host`, in lower case; nil unless that is one name or address, with a
    /// port or without.
    public static func host(of field: String) -> String? {
        guard let host = Authority(field)?.host.name else { return nil }
        return (host.hasSuffix(".") ? String(host.dropLast()) : host).lowercased()
    }

    /// Whether the target of a request is a path, `*`, or an absolute URI with the authority of its `Host`.
    public static func isTarget(_ target: String, of field: String) -> Bool {
        if target.hasPrefix("/") || target == "*" { return true }
        let target = target.lowercased()
        let scheme = ["http://", "https://"].first { target.hasPrefix($0) }
        guard let scheme else { return false }
        return target.dropFirst(scheme.count).prefix { !"/?#".contains($0) } == field.lowercased()
    }
}
