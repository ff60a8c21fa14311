public import Bus
public import FleetProtocol
import UserText

/// Where a fleet listens on the network: a host and the first of five consecutive ports.
public struct NetworkAddress: Hashable, Sendable, CustomStringConvertible {
    /// The first port where none is given, as an operator's firewall may know it.
    public static let standardPort: UInt16 = 7_600
    /// The largest first port: clients that reconnect may get a port above 32767 as their own.
    public static let largestPort = 32_767 - UInt16(FleetSocket.onNetwork.count) + 1

    /// The environment variable with the address at which a controller listens.
    public static let listenVariable = "SENSIBUS_LISTEN"

    /// A name, an IPv4 address, an IPv6 address in brackets, or `*` for every interface.
    public let host: String
    /// The first port.
    public let port: UInt16

    /// Parses `tcp://HOST:PORT`.
    public init(_ text: String) throws(RuntimeError) {
        guard let colon = text.lastIndex(of: ":"), text.hasPrefix("tcp://"),
            let port = UInt16(text[text.index(after: colon)...]), 1...Self.largestPort ~= port,
            (try? Endpoint(text)) != nil
        else { throw .invalidNetworkAddress(text: text) }
        host = String(text[..<colon].dropFirst("tcp://".count))
        self.port = port
    }

    /// The address at which a controller listens without an option; nil for none.
    public static func listening(in environment: [String: String]) throws(RuntimeError) -> NetworkAddress? {
        guard let text = environment[listenVariable] else { return nil }
        return try NetworkAddress(text)
    }

    /// The endpoint of a socket of ``FleetSocket/onNetwork``.
    public func endpoint(of socket: FleetSocket) throws(RuntimeError) -> Endpoint {
        guard let place = FleetSocket.onNetwork.firstIndex(of: socket) else {
            preconditionFailure("\(socket) is not on the network")
        }
        do {
            return try .tcp(host: host, port: port + UInt16(place))
        } catch {
            throw .endpoint(error)
        }
    }

    /// The address at which this machine reaches a socket that listens here.
    public var reached: NetworkAddress {
        let reached = host == "*" ? "127.0.0.1" : NetworkHost(host)?.reached.description
        return NetworkAddress(host: reached ?? host, port: port)
    }

    /// Whether it means every interface of the machine that listens.
    public var isEveryInterface: Bool { host == "*" || NetworkHost(host)?.isUnspecified ?? false }

    private init(host: String, port: UInt16) { (self.host, self.port) = (host, port) }

    /// The text from which the address can be parsed.
    public var description: String { "tcp://\(host):\(port)" }
}

extension FleetSocket {
    /// The sockets on the network, in the order of their ports.
    public static let onNetwork: [FleetSocket] = [.clients, .stream, .devices, .telemetry, .join]

    /// The roles of the keys that may connect over the network; `join` admits every key.
    public var roles: Set<PeerRole> {
        switch self {
        case .clients, .stream: [.client, .observer, .gateway]
        case .devices, .telemetry: [.node]
        case .join, .supervisor: []
        }
    }
}
