import GatewayCore

/// Who can reach the gateway, and by which names.
struct Exposure: Sendable {
    /// Whether browsers come over TLS.
    let isSecure: Bool
    /// Whether it is reached from this machine alone.
    let isLocal: Bool
    /// The names by which it may be asked.
    let hosts: AllowedHosts
    /// The peers whose `X-Forwarded-For` is believed.
    let trustedProxies: [IPNetwork]
}
