public import FleetProtocol
public import Stepping

/// One device as the replica knows it.
///
/// State, connection and place each keep the position that last wrote them. One position for all three
/// would not do: an update of the state may be newer than a snapshot that repairs a lost update of the
/// connection.
public struct ReplicaRow: Sendable, Equatable {
    /// The device.
    public let device: DeviceID
    /// Its name for people, as it was given: anything may be in it.
    public internal(set) var name: String
    /// Its state.
    public internal(set) var reported: DeviceState
    /// Its settings before the last change; nil when that was not seen.
    public internal(set) var before: ACState?
    /// What it says of its own connection.
    public internal(set) var isConnected: Bool
    /// What last changed its state.
    public internal(set) var cause = ChangeCause.request
    /// Where its group is in the table of groups.
    var group = GroupTable.nowhere
    /// Since when it says so.
    public internal(set) var connectedSince: WallTime
    /// When the controller heard of its state.
    public internal(set) var asOf: WallTime
    /// What its pod measured last; nil when that was not heard of.
    public internal(set) var measured: SnapshotChunk.Measured?

    /// Where its node is in the table of nodes.
    var node: Int
    /// What last wrote the state.
    var reportedAt: StreamPosition
    /// What last wrote the connection.
    var connectionAt: StreamPosition
    /// What last wrote name, node and group.
    var placedAt: StreamPosition
    /// What last wrote the measurements.
    var measuredFrom: StreamPosition
    /// The snapshot that mentioned it last, and as the how manieth.
    var mention = Mention()
    /// Whether the device is gone; its place stays empty until the table is packed.
    var isGone = false

    /// Where a snapshot mentioned a row.
    struct Mention: Sendable, Equatable {
        /// The number of the snapshot; 0 before the first.
        var round: UInt32 = 0
        /// How many rows that snapshot mentioned before.
        var order: UInt32 = 0
    }

    /// The newest position that wrote any of it.
    var newestAt: StreamPosition { max(reportedAt, connectionAt, placedAt) }
}
