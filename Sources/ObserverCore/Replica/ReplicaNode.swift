public import FleetProtocol
import Stepping

/// One node as the replica knows it; its devices' presence is derived from it.
public struct ReplicaNode: Sendable, Equatable {
    /// Its name; nil when only its number was heard.
    public internal(set) var name: NodeName?
    /// Whether it is there.
    public internal(set) var presence: Presence
    /// How many of the account's devices live there.
    public internal(set) var devices = 0
    /// How many of those say that they are connected.
    public internal(set) var connected = 0

    /// What last wrote the presence.
    var presenceAt: StreamPosition

    /// Its name, or a mark in place of one.
    public var label: String { name?.text ?? "?" }

    /// The presence of a device that lives here.
    public func presence(of row: ReplicaRow) -> Presence {
        Presence.joined(node: presence, isConnected: row.isConnected, connectedSince: row.connectedSince)
    }
}
