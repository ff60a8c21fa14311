/// What a node tells the controller on `devices`.
public struct NodeMessage: Sendable, Equatable {
    /// The kinds of message.
    public enum Body: Sendable, Equatable {
        /// Who the node is, at each new connection and each new epoch, the groups that its rows name by
        /// their places, ``Limits/nodeGroups`` at most, and the proof of its name; nil in tests of the cores.
        case hello(
            NodeName, account: AccountID, devices: UInt32, groups: [DeviceGroup] = [],
            grant: NodeGrant? = nil)
        /// A sign of life, with what the node has counted where it told that longer than a second ago.
        case ping(NodeCounters? = nil)
        /// A device's answer to a command or an abort.
        case result(CommandResult)
        /// Rows that a pull asked for.
        case rows(RowChunk)
        /// The node ends in good order.
        case leaving
        /// An order has been carried out, unless the remark says otherwise, and concerned that many devices.
        case done(OrderID, devices: UInt32, OrderRemark? = nil)
        /// The active faults of the node's devices, in answer to an order.
        case faults(OrderID, FaultList)
    }

    /// One life of the node's process.
    public let bootID: BootID
    /// The newest number that the node has given to a change.
    public let lastNumber: ChangeNumber
    /// What is said.
    public let body: Body

    /// The message of those parts.
    public init(bootID: BootID, lastNumber: ChangeNumber, body: Body) {
        self.bootID = bootID
        self.lastNumber = lastNumber
        self.body = body
    }
}

/// A device's answer to one command or abort.
public struct CommandResult: Hashable, Sendable {
    /// What was asked: the sequence.
    public let sequence: CommandSequence
    /// What was asked: the request.
    public let requestID: RequestID
    /// What became of it.
    public let verdict: Verdict
    /// The state and version that the verdict was given with.
    public let judged: DeviceState
    /// How long the device had the command, microseconds.
    public let deviceUs: UInt64
    /// The device as it is now.
    public let row: DeviceRow

    /// The device's version before the command: each change raises it by one, and nothing else does.
    public var versionBefore: Version {
        verdict == .applied ? Version(judged.version.value - min(judged.version.value, 1)) : judged.version
    }

    /// The answer of those parts.
    public init(
        sequence: CommandSequence, requestID: RequestID, verdict: Verdict, judged: DeviceState,
        deviceUs: UInt64,
        row: DeviceRow
    ) {
        self.sequence = sequence
        self.requestID = requestID
        self.verdict = verdict
        self.judged = judged
        self.deviceUs = deviceUs
        self.row = row
    }
}

/// A device's word on a command or an abort.
public enum Verdict: Hashable, Sendable {
    /// Done: the version is one higher.
    case applied
    /// It was so already.
    case unchanged
    /// The base differed; nothing done.
    case conflict
    /// Outside the capabilities; which value, and what is allowed.
    case rejected(String)
    /// Its time had passed; nothing done, ever.
    case expired
    /// Taken back before it ran; nothing done, ever.
    case aborted
    /// It names another life of the device's memory; nothing changed.
    case staleIncarnation
    /// It comes from an older controller.
    case staleEpoch
    /// A later command has been taken.
    case staleSequence
    /// The sequence was used by another request.
    case sequenceTaken
}

/// Rows that a pull asked for, in the order of the node's slots.
public struct RowChunk: Sendable, Equatable {
    /// One device with what does not change of it.
    public struct Row: Sendable, Equatable {
        /// The device.
        public let device: DeviceRow
        /// Its name for people.
        public let name: String
        /// The place of its group among those of the node's hello; 0 where that named none.
        public let group: UInt8
        /// What its pod measured last; nil when it has not measured.
        public let measurements: Measurements?

        /// The row of those values.
        public init(device: DeviceRow, name: String, group: UInt8 = 0, measurements: Measurements? = nil) {
            self.device = device
            self.name = name
            self.group = group
            self.measurements = measurements
        }
    }

    /// The pull's: only changes above this number were asked for.
    public let since: ChangeNumber
    /// The pull's: the slot that the chunk starts at.
    public let cursor: UInt32
    /// The slot to ask for next.
    public let nextCursor: UInt32
    /// Whether nothing follows.
    public let isLast: Bool
    /// The pull's own number.
    public let pull: UInt64
    /// At most ``Limits/chunkRows`` rows.
    public let rows: [Row]

    /// The chunk of those values.
    public init(
        since: ChangeNumber, cursor: UInt32, nextCursor: UInt32, isLast: Bool, pull: UInt64 = 0, rows: [Row]
    ) {
        self.pull = pull
        self.since = since
        self.cursor = cursor
        self.nextCursor = nextCursor
        self.isLast = isLast
        self.rows = rows
    }
}

/// Which devices of a fleet a node may host: those of some indices.
public struct DeviceRange: Hashable, Sendable {
    /// The seed from which ids follow.
    public let seed: UInt64
    /// The index of the first device over the whole fleet, at most ``Limits/largestOrdinal``.
    public let firstIndex: UInt64
    /// How many devices, at most ``Limits/nodeDevices``.
    public let count: UInt32

    /// The devices of those indices.
    public init(seed: UInt64, firstIndex: UInt64, count: UInt32) {
        self.seed = seed
        self.firstIndex = firstIndex
        self.count = count
    }

    /// The indices over the whole fleet.
    public var indices: Range<UInt64> { firstIndex..<firstIndex + UInt64(count) }
}

/// A node's proof that it may host devices: a token that the fleet's launcher has made for its name, its
/// account and that range.
public struct NodeGrant: Sendable, Equatable {
    /// The devices.
    public let range: DeviceRange
    /// The proof.
    public let token: Token

    /// The proof for those devices.
    public init(range: DeviceRange, token: Token) {
        self.range = range
        self.token = token
    }
}

extension Verdict {
    /// A verdict without what it says beyond itself.
    public enum Kind: UInt8, CaseIterable, Sendable {
        case applied
        case unchanged
        case conflict
        case rejected
        case expired
        case aborted
        case staleIncarnation
        case staleEpoch
        case staleSequence
        case sequenceTaken

        /// Its word in documents and metrics.
        public var name: String { String(describing: self) }
    }

    /// What kind it is.
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
        case .staleSequence: .staleSequence
        case .sequenceTaken: .sequenceTaken
        }
    }
}
