import FleetProtocol
import TestSupport

/// A fault of the network of a fleet over several hosts.
enum NetworkFault: Hashable, CaseIterable, Sendable {
    /// Of one host's packets, name or clock.
    case host(HostFault)
    /// Of the connections of one host's programs.
    case relay(RelayFault)

    static let allCases =
        HostFault.allCases.map(NetworkFault.host) + RelayFault.allCases.map(NetworkFault.relay)

    var name: String {
        switch self {
        case .host(let fault): fault.rawValue
        case .relay(let fault): fault.rawValue
        }
    }

    /// How long it lasts at most; it may end the connection.
    var longest: Duration {
        switch self {
        case .host(.partition), .host(.mute), .host(.deaf), .host(.blackhole), .host(.moved): .seconds(6)
        case .host: .seconds(3)
        case .relay(.truncate), .relay(.reset), .relay(.halfOpen): .milliseconds(300)
        case .relay: .seconds(2)
        }
    }
}

/// A fault of the connections that pass a relay.
enum RelayFault: String, CaseIterable, Sendable {
    case stall = "connections stalled"
    case truncate = "connections cut within a frame"
    case reset = "connections reset"
    case halfOpen = "connections half-open"
    case split = "bytes one by one"
    case slow = "20 kB/s"
    /// With CURVE each ends the connection: the numbers of its messages rise by one.
    case duplicate = "messages duplicated"
    case reorder = "messages reordered"

    /// A command for the relay, in one direction or both.
    func command(using generator: inout SeededGenerator) -> String {
        let direction = ["up", "down", "both"].randomElement(using: &generator) ?? "both"
        switch self {
        case .stall: return "stall 10000 \(direction)"
        case .truncate: return "truncate \(direction)"
        case .reset: return "reset"
        case .halfOpen: return "half-open \(direction)"
        case .split: return "split 1 \(direction)"
        case .slow: return "slow 20000 \(direction)"
        case .duplicate: return "duplicate 0.1 \(direction)"
        case .reorder: return "reorder 0.1 \(direction)"
        }
    }
}
