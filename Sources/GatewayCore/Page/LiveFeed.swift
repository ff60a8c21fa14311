import DequeModule
public import FleetProtocol
public import FleetReplica
import UserText

/// The live messages to the page: changes are collected and sent a few times a second, encoded once for all
/// listeners.
public struct LiveFeed: Sendable {
    /// The interval between two batches.
    public static let interval: Duration = .milliseconds(250)
    /// The maximum number of ended requests in a batch, of which the last are sent: four times the expected
    /// number of changed devices, about 450 KB as JSON.
    static let outcomesAtMost = 1_024

    private var changed = ChangedDevices()
    private var outcomes: Deque<(report: OutcomeReport, at: WallTime)> = []
    private var tail = LiveTail()
    private var wasWhole = false
    /// Whether the controller was connected at the last turn; nil before the first connection or failure.
    private var wasConnected: Bool?

    public init() {}

    /// Notes an update that the replica has applied.
    public mutating func record(_ update: StreamUpdate) {
        changed.record(update.body)
        guard case .outcome(let report) = update.body else { return }
        if outcomes.count == Self.outcomesAtMost { outcomes.removeFirst() }
        outcomes.append((report, update.at))
    }

    /// Notes that a snapshot may have changed any row.
    public mutating func recordSnapshot() { changed.recordEverything() }

    /// Whether a turn would return messages or change the feed's state.
    public func hasChanges(of replica: Replica) -> Bool {
        isConnected(replica) != wasConnected || replica.isWhole != wasWhole || !outcomes.isEmpty
            || (replica.isWhole && !changed.isEmpty)
    }

    /// Returns the messages with the changes since the last turn; empty without changes. While the replica is
    /// incomplete, the messages contain no devices.
    public mutating func turn(_ replica: Replica, at sites: PageSites = PageSites()) -> [UInt8] {
        var bytes: [UInt8] = []
        if let isConnected = isConnected(replica), isConnected != wasConnected {
            wasConnected = isConnected
            ServerSentEvent.append("controller", ["connected": isConnected], to: &bytes)
        }
        for (report, time) in outcomes {
            ServerSentEvent.append("outcome", PageOutcome.json(report, at: time), to: &bytes)
        }
        outcomes.removeAll(keepingCapacity: true)
        guard replica.isWhole else {
            wasWhole = false
            return bytes
        }
        let isContinuous = wasWhole
        wasWhole = true
        guard !changed.isEmpty || !bytes.isEmpty || !isContinuous else { return [] }
        let (extent, removed) = changed.drain()
        var isSent = isContinuous
        if case .devices(let devices) = extent, isContinuous {
            append(devices, removed, of: replica, at: sites, to: &bytes)
        } else {
            isSent = false
            ServerSentEvent.append("resync", [:], at: replica.position, to: &bytes)
        }
        tail.append(bytes, upTo: replica.position, isContinuous: isSent)
        return bytes
    }

    /// Returns the first messages for a listener at a position in the stream, or for a new listener. The
    /// first one is a heartbeat: from then on a page detects missing heartbeats.
    public func beginning(after position: StreamPosition?, _ replica: Replica) -> [UInt8] {
        var bytes = ServerSentEvent.heartbeat
        if let wasConnected {
            ServerSentEvent.append("controller", ["connected": wasConnected], to: &bytes)
        }
        if let position, let batches = tail.batches(after: position) {
            for batch in batches { bytes += batch }
        } else {
            ServerSentEvent.append("resync", [:], to: &bytes)
        }
        return bytes
    }

    /// Whether the controller is connected; nil during the first attempt to connect.
    private func isConnected(_ replica: Replica) -> Bool? {
        switch replica.connection {
        case .established: true
        case .connecting: wasConnected.map { _ in false }
        case .failed: false
        }
    }

    private func append(
        _ devices: Set<DeviceID>, _ removed: Set<DeviceID>, of replica: Replica, at sites: PageSites,
        to bytes: inout [UInt8]
    ) {
        if !removed.isEmpty {
            let ids = removed.map(\.description).sorted()
            ServerSentEvent.append("gone", ["ids": ids], to: &bytes)
        }
        let rows = devices.compactMap { replica.row(of: $0) }.map {
            PageDevice.json($0, of: replica, at: sites)
        }
        ServerSentEvent.append("devices", ["devices": rows], at: replica.position, to: &bytes)
    }
}
