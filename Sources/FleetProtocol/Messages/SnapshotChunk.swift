/// Some of an account's devices, as of one position in the stream.
public struct SnapshotChunk: Sendable, Equatable {
    /// One device.
    public struct Row: Sendable, Equatable {
        /// The device.
        public let device: DeviceID
        /// The display name.
        public let name: String
        /// The node that hosts it.
        public let node: NodeIndex
        /// Its group among the account's.
        public let group: GroupNumber
        /// Its state.
        public let reported: DeviceState
        /// Whether the device itself is connected.
        public let isConnected: Bool
        /// The time of the last change of ``isConnected``.
        public let connectedSince: WallTime
        /// The time at which the controller received its state.
        public let asOf: WallTime
        /// The cause of the last change of its state.
        public let cause: ChangeCause
        /// The last measurements of its pod with their time; nil before the first.
        public let measured: Measured?
        /// The automatic settings; nil if none are set.
        public let settings: DeviceSettings?

        /// A row with the given values.
        public init(
            device: DeviceID, name: String, node: NodeIndex, group: GroupNumber = .none,
            reported: DeviceState, isConnected: Bool, connectedSince: WallTime, asOf: WallTime,
            cause: ChangeCause = .request, measured: Measured? = nil, settings: DeviceSettings? = nil
        ) {
            (self.device, self.name, self.node) = (device, name, node)
            (self.group, self.reported, self.isConnected) = (group, reported, isConnected)
            (self.connectedSince, self.asOf, self.cause) = (connectedSince, asOf, cause)
            (self.measured, self.settings) = (measured, settings)
        }

        /// The upper bound of its size in a chunk, in bytes: 85 for numbers and ID, its name, its settings.
        public var bytesAtMost: Int { 85 + name.utf8.count + (settings?.bytesAtMost ?? 0) }
    }

    /// The measurements of a pod, with their time.
    public struct Measured: Hashable, Sendable {
        /// The measurements.
        public let measurements: Measurements
        /// The time at which the controller received them.
        public let at: WallTime

        /// Measurements with their time.
        public init(_ measurements: Measurements, at: WallTime) {
            (self.measurements, self.at) = (measurements, at)
        }
    }

    /// The upper bound of a reply's size without its nodes, groups and rows, in bytes.
    public static let frameBytesAtMost = 172

    /// The controller's start number.
    public let epoch: Epoch
    /// The account's newest update when the chunk was made.
    public let sequence: StreamSequence
    /// The cursor of the next request.
    public let nextCursor: UInt32
    /// Whether this is the last chunk.
    public let isLast: Bool
    /// Whether the controller has just started and is still pulling from its nodes: devices may be missing.
    public let isSettling: Bool
    /// The cursor after the last slot at the time of the chunk; 0 if unknown.
    public let endCursor: UInt32
    /// The approximate number of the account's devices, in the chunk from cursor 0; 0 if unknown.
    public let deviceCount: UInt32
    /// Nodes of the account; those of the rows are in this chunk, in an earlier one, or newer than it.
    public let nodes: [Node]
    /// Groups of the account; those of the rows are in this chunk, in an earlier one, or newer than it.
    public let groups: [Group]
    /// At most ``Limits/chunkRows`` devices, in the order of their slots.
    public let rows: [Row]

    /// A chunk with the given values.
    public init(
        epoch: Epoch, sequence: StreamSequence, nextCursor: UInt32, isLast: Bool, isSettling: Bool = false,
        endCursor: UInt32 = 0, deviceCount: UInt32 = 0, nodes: [Node], groups: [Group] = [], rows: [Row]
    ) {
        (self.epoch, self.sequence, self.nextCursor, self.isLast) = (epoch, sequence, nextCursor, isLast)
        (self.isSettling, self.endCursor, self.deviceCount) = (isSettling, endCursor, deviceCount)
        (self.nodes, self.groups, self.rows) = (nodes, groups, rows)
    }
}

/// The bounds of a snapshot, which its first chunk announces.
package struct SnapshotBounds: Sendable {
    /// The number of rows for devices that were added since the first chunk, beside an eighth of the others.
    package static let additions = 4_096

    package let rows: Int
    /// The cursor that ends the snapshot, because devices in later slots are newer; `UInt32.max` if unknown.
    private let end: UInt32
    private var counts = (rows: 0, nodes: 0, groups: 0)

    /// The bounds of a snapshot with about as many rows; an end of 0 is unknown.
    package init(rows: Int, end: UInt32 = 0) {
        self.rows = min(rows + rows / 8 + Self.additions, DeviceIndex.slotsAtMost)
        self.end = end == 0 ? .max : end
    }

    /// The bounds that the chunk from cursor 0 announces.
    package init(announcedBy first: SnapshotChunk) {
        self.init(rows: Int(first.deviceCount), end: first.endCursor)
    }

    /// Counts the content of a chunk; returns false if the snapshot has more than was announced.
    package mutating func count(_ chunk: SnapshotChunk) -> Bool {
        counts.rows += chunk.rows.count
        counts.nodes += chunk.nodes.count
        counts.groups += chunk.groups.count
        return counts.rows <= rows && counts.nodes <= Limits.controllerNodes
            && counts.groups <= Limits.accountGroups
    }

    /// Whether the snapshot is complete with a chunk.
    package func isLast(_ chunk: SnapshotChunk) -> Bool { chunk.isLast || chunk.nextCursor >= end }
}

extension SnapshotChunk.Node {
    /// The upper bound of its size in a chunk, in bytes: 32 for numbers and framing, and its name.
    public var bytesAtMost: Int { 32 + name.text.utf8.count }
}

extension SnapshotChunk.Group {
    /// The upper bound of its size in a chunk, in bytes: 20 for numbers and framing, and its texts.
    public var bytesAtMost: Int {
        (group.climateReact == nil ? 20 : 92) + group.site.utf8.count + group.firmware.utf8.count
    }
}
