public import ArgumentParser
public import UserText

/// The options for how clients reach a gateway, which `gateway serve` and `fleet up` share.
public struct GatewayOptions: ParsableArguments, Sendable {
    /// The address or name at which the gateway listens.
    @Option(
        help: ArgumentHelp(
            "Address or name at which the gateway listens (default: 127.0.0.1).", valueName: "address"),
        transform: GatewayOptions.host(in:))
    public var host: NetworkHost = .loopback

    /// The port of the second server; nil for none.
    @Option(
        help: ArgumentHelp(
            "Also answer /healthz and /readyz over HTTP at this port, without a key, for probes.",
            valueName: "port"))
    public var healthPort: UInt16?

    /// The file with the certificate chain; nil without TLS.
    @Option(help: ArgumentHelp("Certificate chain of the gateway, PEM; needs --tls-key.", valueName: "file"))
    public var tlsCertificate: String?

    /// The file with the private key of the certificate; nil without TLS.
    @Option(help: ArgumentHelp("Private key of the certificate, PEM.", valueName: "file"))
    public var tlsKey: String?

    /// The names by which clients request the gateway.
    @Option(
        help: ArgumentHelp(
            "Host name that clients use for the gateway; may be repeated.", valueName: "name"),
        transform: GatewayOptions.host(in:))
    public var publicName: [NetworkHost] = []

    /// The proxies whose `X-Forwarded-For` is trusted.
    @Option(
        help: ArgumentHelp(
            "Address or network of a proxy whose X-Forwarded-For is trusted; may be repeated.",
            valueName: "address"),
        transform: GatewayOptions.network(in:))
    public var trustedProxy: [IPNetwork] = []

    /// Whether Sensibo's rate limits apply.
    @Flag(help: "Apply the rate limits of Sensibo's API.")
    public var sensiboLimits = false

    /// A gateway that serves this machine only.
    public init() {}

    /// Refuses half of a certificate.
    public func validate() throws {
        guard healthPort != 0 else { throw ValidationError("--health-port: give a port from 1 to 65535") }
        guard (tlsCertificate == nil) == (tlsKey == nil) else {
            throw ValidationError("give both --tls-certificate and --tls-key, or neither")
        }
    }

    /// Refuses a port that the second server would have, too, by the name of its option, and any other than
    /// the loopback interface without a certificate.
    public func check(port: UInt16, of name: String, isCertified: Bool = false) throws {
        guard isSecure || isCertified || host.isLoopback else {
            throw ValidationError(
                "\(host) is not a loopback address: give --tls-certificate and --tls-key, or omit --host")
        }
        guard healthPort == nil || healthPort != port else {
            throw ValidationError("--health-port: give another port than \(name)")
        }
    }

    /// Whether clients connect over TLS.
    public var isSecure: Bool { tlsCertificate != nil }

    /// Returns the URL for clients on this machine; with a certificate, it has the first public name.
    public func url(port: UInt16) -> GatewayURL {
        let certified = isSecure ? publicName.first : nil
        return GatewayURL(isSecure: isSecure, host: certified ?? host.reached, port: port)
    }

    /// The options that differ from their defaults, as arguments for a process in the same directory.
    public var arguments: [String] {
        var given: [(name: String, value: String?)] = [
            ("--host", host == .loopback ? nil : host.name), ("--health-port", healthPort.map { "\($0)" }),
            ("--tls-certificate", tlsCertificate), ("--tls-key", tlsKey),
        ]
        given += publicName.map { ("--public-name", $0.name) }
        given += trustedProxy.map { ("--trusted-proxy", "\($0)") }
        return given.flatMap { name, value in value.map { [name, $0] } ?? [] }
            + (sensiboLimits ? ["--sensibo-limits"] : [])
    }

    private static func host(in text: String) throws -> NetworkHost {
        guard let host = NetworkHost(text) else {
            throw ValidationError("\(text) is not a host: write it as fleet.example.org, 10.0.0.1 or ::1")
        }
        return host
    }

    private static func network(in text: String) throws -> IPNetwork {
        guard let network = IPNetwork(text) else {
            throw ValidationError("\(text) is not an address or network: write it as 10.0.0.1 or 10.0.0.0/8")
        }
        return network
    }
}
