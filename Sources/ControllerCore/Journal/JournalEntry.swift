public import FleetProtocol

/// A change of a request or of the retention of outcomes, in the order of the changes. An entry is an effect
/// that must be stored before every effect that depends on it.
public enum JournalEntry: Sendable, Equatable {
    /// A request was queued in the lane of its device.
    case admitted(RequestRecord)
    /// A request is about to be dispatched; with the request itself, which may never have been queued.
    case dispatched(RequestRecord, DispatchRecord)
    /// A request was cancelled before it ended: none of its commands are sent any more.
    case cancelRequested(AccountID, RequestID)
    /// A request has ended; its content is nil for a tombstone, because only the cancel has arrived.
    case ended(AccountID, OutcomeReport, content: RequestContent?, at: WallTime)
    /// Outcomes with IDs up to this time are removed, of one account or of all; the time only ever rises.
    case horizonRaised(WallTime, of: AccountID? = nil)
    /// Segments before this one are not needed: their retained outcomes have copies in later segments.
    case segmentsRemoved(before: Int)
    /// A segment begins with this list of the earlier segments, all open requests and the horizons. So the
    /// earlier segments are needed for their outcomes only.
    case segmentBegan(after: [JournalSegment])
    /// The store had reached this position before the batch was written.
    case storeReached(StorePosition)
}

/// How far the store was when a batch of the journal was written. A store that is behind the last position of
/// its journal is an older copy, unless a power failure explains it: it may lose changes since the start of
/// the controller, which has synced the store to the disk.
public struct StorePosition: Hashable, Sendable {
    /// The boot ID of the machine.
    public let boot: String
    /// The number of changes that are on the disk.
    public let onDisk: UInt64
    public let changes: UInt64

    /// Creates a position from its fields.
    public init(boot: String, onDisk: UInt64, changes: UInt64) {
        (self.boot, self.onDisk, self.changes) = (boot, onDisk, changes)
    }

    /// Checks that a store has reached this position; throws `damaged` if it is an older copy.
    func check(_ present: StorePosition, of name: String) throws(StorageError) {
        let least = present.boot == boot ? changes : onDisk
        guard present.changes >= least else {
            throw .damaged(
                path: name, what: "it has \(present.changes) changes, and its journal knows \(least)")
        }
    }
}

extension JournalEntry {
    /// The entries of a batch, as a segment has it: behind its checksum and its link.
    public static func entries(of batch: ArraySlice<UInt8>) throws(RecordError) -> [JournalEntry] {
        var reader = BatchReader()
        var entries: [JournalEntry] = []
        try reader.read(batch) { entries.append($0) }
        return entries
    }
}

extension OutcomeReport {
    func naming(_ content: RequestContent?) -> OutcomeReport {
        var report = self
        report.command = content?.kind.kind
        return report
    }
}

/// The content of a request: the same ID with other content is another request.
public struct RequestContent: Hashable, Sendable {
    public let device: DeviceID
    public let kind: Command.Kind
    /// The state that the client expects; nil if it expects none.
    public let expected: Expectation?

    /// Creates a content from its fields.
    public init(device: DeviceID, kind: Command.Kind, expected: Expectation? = nil) {
        self.device = device
        self.kind = kind
        self.expected = expected
    }

    init(_ command: Command) {
        self.init(device: command.device, kind: command.kind, expected: command.expected)
    }
}

/// An admitted request, with everything that is needed to resume it after a restart.
public struct RequestRecord: Hashable, Sendable {
    public let account: AccountID
    public let requestID: RequestID
    public let content: RequestContent
    public let user: Email
    let arrivedAt: WallTime
    /// The time until which the client waits.
    public let deadline: WallTime
}

/// A resolved request, with everything that is needed to send the same command again.
public struct DispatchRecord: Hashable, Sendable {
    public let identity: CommandIdentity
    public let change: ACStateChange
    /// The version for which the command is valid; nil for any.
    public let base: Version?
    /// The reported version when the request was resolved.
    let versionBefore: Version
    /// How many times the request has been resolved, including this one.
    let resolution: UInt32
}
