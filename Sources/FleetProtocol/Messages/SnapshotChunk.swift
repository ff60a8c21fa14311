public import FleetTime

/// Some of an account's devices, as they were at one place in the stream.
public struct SnapshotChunk: Sendable, Equatable {
    /// One device.
    public struct Row: Sendable, Equatable {
        /// The device.
        public let device: DeviceID
        /// Its name for people.
        public let name: String
        /// Where it lives.
        public let node: NodeIndex
        /// Its group among the account's.
        public let group: GroupNumber
        /// Its state.
        public let reported: DeviceState
        /// What it says of its own connection.
        public let isConnected: Bool
        /// Since when it says so.
        public let connectedSince: WallTime
        /// When the controller heard of its state.
        public let asOf: WallTime
        /// What last changed its state.
        public let cause: ChangeCause
        /// What its pod measured last, and when the controller heard of it; nil when it did not.
        public let measured: Measured?
        /// What users have set it to do by itself; nil where they have set nothing.
        public let settings: DeviceSettings?

        /// The row of those values.
        public init(
            device: DeviceID, name: String, node: NodeIndex, group: GroupNumber = .none,
            reported: DeviceState, isConnected: Bool, connectedSince: WallTime, asOf: WallTime,
            cause: ChangeCause = .request, measured: Measured? = nil, settings: DeviceSettings? = nil
        ) {
            self.device = device
            self.name = name
            self.node = node
            self.group = group
            self.reported = reported
            self.isConnected = isConnected
            self.connectedSince = connectedSince
            self.asOf = asOf
            self.cause = cause
            self.measured = measured
            self.settings = settings
        }

        /// What it takes of a chunk's bytes at most: 85 for its numbers and its id, its name, its settings.
        public var bytesAtMost: Int {
            85 + name.utf8.count + (settings?.bytesAtMost ?? 0)
        }
    }

    /// What a pod measured, with its time.
    public struct Measured: Hashable, Sendable {
        /// What it measured.
        public let measurements: Measurements
        /// When the controller heard of it.
        public let at: WallTime

        /// Those measurements of that time.
        public init(_ measurements: Measurements, at: WallTime) {
            self.measurements = measurements
            self.at = at
        }
    }

    /// One node.
    public struct Node: Sendable, Equatable {
        /// Its index in rows.
        public let index: NodeIndex
        /// Its name.
        public let name: NodeName
        /// Whether it is there.
        public let presence: Presence

        /// The node of those values.
        public init(index: NodeIndex, name: NodeName, presence: Presence) {
            self.index = index
            self.name = name
            self.presence = presence
        }

        /// What it takes of a chunk's bytes at most: 32 for its numbers and frames, and its name.
        public var bytesAtMost: Int { 32 + name.text.utf8.count }
    }

    /// One group of devices.
    public struct Group: Sendable, Equatable {
        /// Its number in rows, from 1.
        public let number: GroupNumber
        /// What its devices have in common.
        public let group: DeviceGroup

        /// The group of those values.
        public init(number: GroupNumber, group: DeviceGroup) {
            self.number = number
            self.group = group
        }

        /// What it takes of a chunk's bytes at most: 20 for its numbers and frames, and its texts.
        public var bytesAtMost: Int {
            (group.climateReact == nil ? 20 : 92) + group.site.utf8.count + group.firmware.utf8.count
        }
    }

    /// What a reply with a chunk takes beside its nodes and rows at most, in bytes.
    public static let frameBytesAtMost = 172

    /// The controller's start number.
    public let epoch: Epoch
    /// The account's newest update when the chunk was made.
    public let sequence: StreamSequence
    /// The cursor to ask with next.
    public let nextCursor: UInt32
    /// Whether nothing follows.
    public let isLast: Bool
    /// Whether the controller has just started and still asks its nodes: a device may be missing.
    public let isSettling: Bool
    /// The cursor behind the last place that there was when the chunk was made; 0 where nobody said.
    public let endCursor: UInt32
    /// About how many devices the account has, in the chunk from cursor 0; 0 where nobody said.
    public let deviceCount: UInt32
    /// Nodes of the account; those of the rows are in this chunk, in an earlier one, or newer than it.
    public let nodes: [Node]
    /// Groups of the account; those of the rows are in this chunk, in an earlier one, or newer than it.
    public let groups: [Group]
    /// At most ``Limits/chunkRows`` devices, in the order of their slots.
    public let rows: [Row]

    /// The chunk of those values.
    public init(
        epoch: Epoch, sequence: StreamSequence, nextCursor: UInt32, isLast: Bool, isSettling: Bool = false,
        endCursor: UInt32 = 0, deviceCount: UInt32 = 0, nodes: [Node], groups: [Group] = [], rows: [Row]
    ) {
        self.epoch = epoch
        self.sequence = sequence
        self.nextCursor = nextCursor
        self.isLast = isLast
        self.isSettling = isSettling
        self.endCursor = endCursor
        self.deviceCount = deviceCount
        self.nodes = nodes
        self.groups = groups
        self.rows = rows
    }
}
