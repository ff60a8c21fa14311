extension NodeMessage {
    /// The kinds of message.
    public enum Body: Sendable, Equatable {
        /// The identity of the node, on each new connection and in each new epoch.
        case hello(NodeHello)
        /// A heartbeat, with the node's counters if it last sent them more than a second ago.
        case ping(NodeCounters? = nil)
        /// A device's answer to a command or an abort.
        case result(CommandResult)
        /// The rows for a pull.
        case rows(RowChunk)
        /// The node stops in an orderly way.
        case leaving
        /// An order was carried out for that many devices, unless the remark says otherwise.
        case done(OrderID, devices: UInt32, OrderRemark? = nil)
        /// The active faults of the node's devices, in answer to an order.
        case faults(OrderID, FaultList)
    }
}

extension CommandResult {
    /// The device's version before the command: only a change raises it, by one.
    public var versionBefore: Version {
        verdict == .applied ? Version(judged.version.value - min(judged.version.value, 1)) : judged.version
    }
}

/// A device's verdict on a command or an abort.
public enum Verdict: Hashable, Sendable {
    /// Applied: the version is one higher.
    case applied
    /// The device already had the state.
    case unchanged
    /// The device has another version than the base; nothing was changed.
    case conflict
    /// Outside the capabilities; the text has the value and the allowed values.
    case rejected(String)
    /// Its time had passed; it was not and will not be applied.
    case expired
    /// Aborted before it ran; it was not and will not be applied.
    case aborted
    /// It names another incarnation of the device's memory; nothing was changed.
    case staleIncarnation
    /// It comes from an older controller.
    case staleEpoch
    /// The device has already received a later command.
    case staleCommandNumber
    /// The command number was already used by another request.
    case commandNumberTaken
}

/// The rows for a pull, in the order of the node's slots.
public struct RowChunk: Sendable, Equatable {
    /// A device with its constant properties.
    public struct Row: Sendable, Equatable {
        /// The device.
        public let device: DeviceRow
        /// The display name.
        public let name: String
        /// The position of its group in the node's hello, from 1; 0 for none.
        public let group: UInt8
        /// The last measurements of its pod; nil before the first.
        public let measurements: Measurements?

        /// A row with the given values.
        public init(device: DeviceRow, name: String, group: UInt8 = 0, measurements: Measurements? = nil) {
            (self.device, self.name, self.group, self.measurements) = (device, name, group, measurements)
        }
    }

    /// The change number of the pull: only later changes were requested.
    public let since: ChangeNumber
    /// The slot of the pull, at which the chunk starts.
    public let cursor: UInt32
    /// The slot of the next pull.
    public let nextCursor: UInt32
    /// Whether this is the last chunk.
    public let isLast: Bool
    /// The number of the pull.
    public let pull: UInt64
    /// At most ``Limits/chunkRows`` rows.
    public let rows: [Row]

    /// A chunk with the given values.
    public init(
        since: ChangeNumber, cursor: UInt32, nextCursor: UInt32, isLast: Bool, pull: UInt64 = 0, rows: [Row]
    ) {
        (self.pull, self.since, self.cursor) = (pull, since, cursor)
        (self.nextCursor, self.isLast, self.rows) = (nextCursor, isLast, rows)
    }
}

/// A range of a fleet's devices, which a node may host.
public struct DeviceRange: Hashable, Sendable {
    /// The seed from which IDs are derived.
    public let seed: UInt64
    /// The index of the first device in the whole fleet, at most ``Limits/largestOrdinal``.
    public let firstIndex: UInt64
    /// The number of devices, at most ``Limits/nodeDevices``.
    public let count: UInt32

    /// A range of devices.
    public init(seed: UInt64, firstIndex: UInt64, count: UInt32) {
        (self.seed, self.firstIndex, self.count) = (seed, firstIndex, count)
    }

    /// The indices in the whole fleet.
    public var indices: Range<UInt64> { firstIndex..<firstIndex + UInt64(count) }
}

extension Verdict {
    /// A verdict without its details.
    public enum Kind: UInt8, CaseIterable, Sendable {
        /// The verdict of that name.
        case applied
        /// The verdict of that name.
        case unchanged
        /// The verdict of that name.
        case conflict
        /// The verdict of that name.
        case rejected
        /// The verdict of that name.
        case expired
        /// The verdict of that name.
        case aborted
        /// The verdict of that name.
        case staleIncarnation
        /// The verdict of that name.
        case staleEpoch
        /// The verdict of that name.
        case staleCommandNumber
        /// The verdict of that name.
        case commandNumberTaken

        /// The name in metrics, which for two verdicts is that of earlier versions.
        public var name: String {
            switch self {
            case .staleCommandNumber: "staleSequence"
            case .commandNumberTaken: "sequenceTaken"
            case .applied, .unchanged, .conflict, .rejected, .expired, .aborted, .staleIncarnation,
                .staleEpoch:
                String(describing: self)
            }
        }
    }

    /// The kind of the verdict.
    public var kind: Kind {
        switch self {
        case .applied: .applied
        case .unchanged: .unchanged
        case .conflict: .conflict
        case .rejected: .rejected
        case .expired: .expired
        case .aborted: .aborted
        case .staleIncarnation: .staleIncarnation
        case .staleEpoch: .staleEpoch
        case .staleCommandNumber: .staleCommandNumber
        case .commandNumberTaken: .commandNumberTaken
        }
    }
}
