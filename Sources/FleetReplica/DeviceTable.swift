public import FleetProtocol
public import Stepping

/// A device.
///
/// State, connection and place each keep the position that last wrote them. One position for all three
/// would not do: an update of the state may be newer than a snapshot that repairs a lost update of the
/// connection.
public struct ReplicaRow: Sendable, Equatable {
    /// The device.
    public let device: DeviceID
    /// Its name for people, as it was given: it may contain any characters.
    public internal(set) var name: String
    /// Its state.
    public internal(set) var reported: DeviceState
    /// Its state before the last change; nil if that is not known.
    public internal(set) var before: ACState?
    /// Whether it reports a connection.
    public internal(set) var isConnected: Bool
    /// The cause of the last change of its state.
    public internal(set) var cause = ChangeCause.request
    /// Where its group is in the table of groups.
    var group = GroupTable.nowhere
    /// The time since which it reports that.
    public internal(set) var connectedSince: WallTime
    /// The time at which the controller received its state.
    public internal(set) var asOf: WallTime
    /// The last measurements of its pod; nil if none are known.
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
    /// The snapshot that mentioned it last, and its place in it.
    var mention = Mention()
    /// Whether the device is gone; its place stays empty until the table is packed.
    package internal(set) var isGone = false

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

/// The rows of a replica in the order of the controller's slots, and where each device's row is.
///
/// A row that goes leaves its place empty, so other places hold; ``pack()`` closes the gaps.
package struct DeviceTable: Sendable {
    /// The rows by their places, gone ones included.
    package private(set) var rows: [ReplicaRow] = []
    private(set) var goneCount = 0
    /// What an order of the rows may rest on, as it is.
    package private(set) var revisions = Revisions()
    private var places = DeviceIndex()

    /// What an order of the rows may rest on, each raised by its changes.
    package struct Revisions: Sendable, Equatable {
        /// Rows came or went.
        package fileprivate(set) var changed: UInt64 = 0
        /// Names changed.
        package fileprivate(set) var renamed: UInt64 = 0
        /// Rows moved to other places.
        package fileprivate(set) var packed: UInt64 = 0

        /// Those of a table that was never changed.
        package init() {}
    }

    /// How many devices there are.
    var count: Int { rows.count - goneCount }

    /// The row at a place.
    package internal(set) subscript(place: Int) -> ReplicaRow {
        get { rows[place] }
        _modify { yield &rows[place] }
    }

    /// Where a device's row is; nil when there is none.
    package func place(of device: DeviceID) -> Int? { places.slot(of: device) { rows[$0].device } }

    /// Where a device's row is, which was looked for a moment ago; nil when there is none.
    func place(of device: DeviceID, expectedAt place: Int) -> Int? {
        if place < rows.count, rows[place].device == device, !rows[place].isGone { return place }
        return self.place(of: device)
    }

    /// Makes room for that many devices, and some that come later.
    ///
    /// Growing would copy all rows time and again. What stays unused is no more than addresses.
    mutating func reserve(_ count: Int) {
        let count = min(count, DeviceIndex.slotsAtMost)
        guard rows.capacity < count else { return }
        rows.reserveCapacity(count + count / 8)
        let rows = rows
        places.reserve(count) { rows[$0].device }
    }

    /// Adds the row of a device, unless it has one.
    ///
    /// - Returns: Where its row is already; nil when it was added.
    mutating func append(_ row: ReplicaRow) -> Int? {
        if rows.count == DeviceIndex.slotsAtMost { pack() }
        if let known = place(of: row.device, orNoteAt: rows.count) { return known }
        rows.append(row)
        revisions.changed += 1
        return nil
    }

    private mutating func place(of device: DeviceID, orNoteAt place: Int) -> Int? {
        let rows = rows
        return places.slot(of: device, orInsertAt: place) { rows[$0].device }
    }

    /// Takes a row out.
    mutating func remove(at place: Int) {
        rows[place].isGone = true
        goneCount += 1
        revisions.changed += 1
        forget(rows[place].device)
        if goneCount > max(1_024, rows.count / 2) { pack() }
    }

    /// Notes that a name changed, on which an order may rest.
    mutating func noteRenamed() {
        revisions.renamed += 1
    }

    /// Brings the rows into the order in which the last snapshot mentioned them, newer ones behind.
    mutating func sortBySlot() {
        let ordered = rows.enumerated().sorted { left, right in
            (left.element.mention.order, left.offset) < (right.element.mention.order, right.offset)
        }
        rows = ordered.map(\.element)
        pack()
    }

    /// Closes the gaps that removed rows left.
    mutating func pack() {
        rows.removeAll(where: \.isGone)
        goneCount = 0
        revisions.packed += 1
        let rows = rows
        places = DeviceIndex()
        for (place, row) in rows.enumerated() { places.insert(row.device, at: place) { rows[$0].device } }
    }

    private mutating func forget(_ device: DeviceID) {
        let rows = rows
        places.remove(device) { rows[$0].device }
    }
}

/// What devices are set to do by themselves, of the few that are, each with what last wrote it.
///
/// It may know a device whose row a snapshot has yet to bring.
struct SettingsTable: Sendable {
    private struct Entry: Sendable {
        /// Empty for nothing: that too must not be written over by what is older.
        var settings: DeviceSettings
        var at: StreamPosition
    }

    private var entries: [DeviceID: Entry] = [:]

    /// What a device is set to; nil for nothing.
    subscript(device: DeviceID) -> DeviceSettings? {
        guard let settings = entries[device]?.settings, !settings.isEmpty else { return nil }
        return settings
    }

    /// Writes what a device is set to, unless that is older than what is known.
    ///
    /// - Returns: Whether that is news.
    mutating func write(_ new: DeviceSettings?, of device: DeviceID, from position: StreamPosition) -> Bool {
        // As nearly always: nobody has set anything.
        guard new != nil || !entries.isEmpty else { return false }
        let known = entries[device]
        guard new != nil || known != nil, position >= known?.at ?? .zero else { return false }
        let settings = new ?? DeviceSettings()
        entries[device] = Entry(settings: settings, at: position)
        return settings != known?.settings ?? DeviceSettings()
    }

    /// Forgets a device that is gone.
    mutating func forget(_ device: DeviceID) {
        if !entries.isEmpty { entries[device] = nil }
    }

    /// Lets anything be written over all of it: the positions are another controller's.
    mutating func forgetPositions() {
        entries = entries.mapValues { Entry(settings: $0.settings, at: .zero) }
    }

    /// Forgets who is set to nothing: nothing older can come any more.
    mutating func dropEmpty() {
        if !entries.isEmpty { entries = entries.filter { !$0.value.settings.isEmpty } }
    }
}
