import DequeModule
public import FleetProtocol
public import FleetReplica
import FleetTime
import UserText

/// What the page is told live: gathered from updates, told a few times a second, once for all who listen.
public struct LiveFeed: Sendable {
    /// How often it is told.
    public static let interval: Duration = .milliseconds(250)
    /// Requests that ended told in one batch, of more the last: four times as many as devices are expected to
    /// change in it, and about 450 KB as JSON.
    static let outcomesAtMost = 1_024

    private var changed = ChangedDevices()
    private var outcomes: Deque<(report: OutcomeReport, at: WallTime)> = []
    private var tail = LiveTail()
    private var wasWhole = false
    /// Whether the controller was connected; nil until the first connection was made or has failed.
    private var wasConnected: Bool?

    /// A feed that has told nothing.
    public init() {}

    /// Notes what a replica has taken.
    public mutating func note(_ update: StreamUpdate) {
        changed.note(update.body)
        guard case .outcome(let report) = update.body else { return }
        if outcomes.count == Self.outcomesAtMost { outcomes.removeFirst() }
        outcomes.append((report, update.at))
    }

    /// Notes that a snapshot may have changed any row.
    public mutating func noteSnapshot() { changed.noteEverything() }

    /// Whether a turn would return messages or change the feed's state.
    public func hasNews(of replica: Replica) -> Bool {
        isConnected(replica) != wasConnected || replica.isWhole != wasWhole || !outcomes.isEmpty
            || (replica.isWhole && !changed.isEmpty)
    }

    /// The messages that say what is new; empty when nothing is.
    ///
    /// While the replica is not whole nothing is told of devices: what they are is not known then.
    ///
    /// - Parameter sites: Where devices stand.
    public mutating func turn(_ replica: Replica, at sites: PageSites = PageSites()) -> [UInt8] {
        var bytes: [UInt8] = []
        if let isConnected = isConnected(replica), isConnected != wasConnected {
            wasConnected = isConnected
            ServerSentEvent.append("controller", ["connected": .bool(isConnected)], to: &bytes)
        }
        for (report, time) in outcomes {
            ServerSentEvent.append("outcome", PageEnding.json(report, at: time), to: &bytes)
        }
        outcomes.removeAll(keepingCapacity: true)
        guard replica.isWhole else {
            wasWhole = false
            return bytes
        }
        let isContinuous = wasWhole
        wasWhole = true
        guard !changed.isEmpty || !bytes.isEmpty || !isContinuous else { return [] }
        let (extent, gone) = changed.take()
        var isTold = isContinuous
        if case .devices(let devices) = extent, isContinuous {
            append(devices, gone, of: replica, at: sites, to: &bytes)
        } else {
            isTold = false
            ServerSentEvent.append("resync", [:], at: replica.position, to: &bytes)
        }
        tail.append(bytes, upTo: replica.position, isContinuous: isTold)
        return bytes
    }

    /// Returns the first messages for a listener at a position in the stream, or for a new listener.
    ///
    /// The first one is a heartbeat: from then on a page detects missing heartbeats.
    public func beginning(after position: StreamPosition?, _ replica: Replica) -> [UInt8] {
        var bytes = ServerSentEvent.heartbeat
        if let wasConnected {
            ServerSentEvent.append("controller", ["connected": .bool(wasConnected)], to: &bytes)
        }
        if let position, let batches = tail.batches(after: position) {
            for batch in batches { bytes += batch }
        } else {
            ServerSentEvent.append("resync", [:], to: &bytes)
        }
        return bytes
    }

    /// Whether the controller is connected; nil while the first connection to it is being made.
    private func isConnected(_ replica: Replica) -> Bool? {
        switch replica.connection {
        case .established: true
        case .connecting: wasConnected.map { _ in false }
        case .failed: false
        }
    }

    private func append(
        _ devices: Set<DeviceID>, _ gone: Set<DeviceID>, of replica: Replica, at sites: PageSites,
        to bytes: inout [UInt8]
    ) {
        if !gone.isEmpty {
            let ids = gone.map(\.description).sorted().map(JSONValue.string)
            ServerSentEvent.append("gone", ["ids": .array(ids)], to: &bytes)
        }
        let rows = devices.compactMap { replica.row(of: $0) }.map {
            PageDevice.json($0, of: replica, at: sites)
        }
        ServerSentEvent.append("devices", ["devices": .array(rows)], at: replica.position, to: &bytes)
    }
}
