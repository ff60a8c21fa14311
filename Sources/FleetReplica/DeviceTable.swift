public import FleetProtocol

/// A replica's row for one device.
///
/// State, connection and place each have the position in the stream that last wrote them. One position for
/// all three is not enough. An update of the state may be newer than a snapshot that repairs a lost update of
/// the connection.
public struct ReplicaRow: Sendable, Equatable {
    /// The device.
    public let device: DeviceID
    /// The display name, unmodified: it may contain any characters.
    public internal(set) var name: String
    /// Its state.
    public internal(set) var reported: DeviceState
    /// Its state before the last change; nil if that is not known.
    public internal(set) var before: ACState?
    /// Whether it reports a connection.
    public internal(set) var isConnected: Bool
    /// The cause of the last change of its state.
    public internal(set) var cause = ChangeCause.request
    var group = GroupTable.nowhere
    /// The time since which it reports that.
    public internal(set) var connectedSince: WallTime
    /// The time at which the controller received its state.
    public internal(set) var asOf: WallTime
    /// The last measurements of its pod; nil if none are known.
    public internal(set) var measured: SnapshotChunk.Measured?

    var node: Int
    /// The positions that last wrote the parts of the row.
    var written: Positions
    /// The last snapshot that included the row, and the row's order in it.
    var mention = Mention()
    /// Whether the device is gone; its place stays empty until the table is packed.
    package internal(set) var isRemoved = false

    /// A row's order in a snapshot.
    struct Mention: Sendable, Equatable {
        /// The number of the snapshot; 0 before the first.
        var round: UInt32 = 0
        /// The number of rows before it in that snapshot.
        var order: UInt32 = 0
    }

    /// The positions in the stream that last wrote the parts of a row.
    struct Positions: Sendable, Equatable {
        var reported: StreamPosition
        var connection: StreamPosition
        /// The position that last wrote name, node and group.
        var place: StreamPosition
        var measured: StreamPosition

        init(all position: StreamPosition) {
            (reported, connection, place, measured) = (position, position, position, position)
        }

        /// The newest position that wrote state, connection or place.
        var newest: StreamPosition { max(reported, connection, place) }
    }
}

/// The rows of a replica in the order of the controller's slots, with an index by device. Removing a row
/// leaves its place empty, so that other places stay valid; ``pack()`` closes the gaps.
package struct DeviceTable: Sendable {
    /// The rows by their places, gone ones included.
    package private(set) var rows: [ReplicaRow] = []
    private(set) var removedCount = 0
    /// The current revisions, for callers that cache an order of the rows.
    package private(set) var revisions = Revisions()
    private var places = DeviceIndex()

    /// Revision counters of the changes that can invalidate a cached order of the rows.
    package struct Revisions: Sendable, Equatable {
        /// The counter of added and removed rows.
        package fileprivate(set) var changed: UInt64 = 0
        package fileprivate(set) var renamed: UInt64 = 0
        /// The counter of moves of rows to other places.
        package fileprivate(set) var packed: UInt64 = 0

        package init() {}
    }

    var count: Int { rows.count - removedCount }

    /// Whether there is room for no further row.
    var isFull: Bool { count == DeviceIndex.slotsAtMost }

    package internal(set) subscript(place: Int) -> ReplicaRow {
        get { rows[place] }
        _modify { yield &rows[place] }
    }

    package func place(of device: DeviceID) -> Int? { places.slot(of: device) { rows[$0].device } }

    /// Returns the place of a device's row, and tries an expected place before the index; nil if the device
    /// has no row.
    func place(of device: DeviceID, expectedAt place: Int) -> Int? {
        if place < rows.count, rows[place].device == device, !rows[place].isRemoved { return place }
        return self.place(of: device)
    }

    /// Reserves capacity for that many devices and an eighth more. Growing step by step would copy all rows
    /// repeatedly. Unused capacity costs address space only.
    mutating func reserve(_ count: Int) {
        let count = min(count, DeviceIndex.slotsAtMost)
        guard rows.capacity < count else { return }
        rows.reserveCapacity(count + count / 8)
        let rows = rows
        places.reserve(count) { rows[$0].device }
    }

    /// Adds the row of a device, unless it has one, whose place is then returned.
    mutating func append(_ row: ReplicaRow) -> Int? {
        if rows.count == DeviceIndex.slotsAtMost { pack() }
        if let known = place(of: row.device, orInsertAt: rows.count) { return known }
        rows.append(row)
        revisions.changed += 1
        return nil
    }

    private mutating func place(of device: DeviceID, orInsertAt place: Int) -> Int? {
        let rows = rows
        return places.slot(of: device, orInsertAt: place) { rows[$0].device }
    }

    mutating func remove(at place: Int) {
        rows[place].isRemoved = true
        removedCount += 1
        revisions.changed += 1
        remove(rows[place].device)
        if removedCount > max(1_024, rows.count / 2) { pack() }
    }

    mutating func removeAll() {
        rows.removeAll()
        revisions.changed += 1
        pack()
    }

    mutating func recordRename() { revisions.renamed += 1 }

    /// Sorts the rows in the order of the last snapshot, with newer rows last.
    mutating func sortBySlot() {
        let ordered = rows.enumerated().sorted { left, right in
            (left.element.mention.order, left.offset) < (right.element.mention.order, right.offset)
        }
        rows = ordered.map(\.element)
        pack()
    }

    mutating func pack() {
        rows.removeAll(where: \.isRemoved)
        removedCount = 0
        revisions.packed += 1
        let rows = rows
        places = DeviceIndex()
        for (place, row) in rows.enumerated() { places.insert(row.device, at: place) { rows[$0].device } }
    }

    private mutating func remove(_ device: DeviceID) {
        let rows = rows
        places.remove(device) { rows[$0].device }
    }
}

/// The automatic settings of the few devices that have any, each with the position that last wrote it. The
/// table may have an entry for a device whose row has not arrived with a snapshot yet.
struct SettingsTable: Sendable {
    private struct Entry: Sendable {
        /// Empty if nothing is set; the entry stays so that older settings cannot overwrite it.
        var settings: DeviceSettings
        var at: StreamPosition
    }

    private var entries: [DeviceID: Entry] = [:]

    /// The settings of a device; nil if none are set.
    subscript(device: DeviceID) -> DeviceSettings? {
        guard let settings = entries[device]?.settings, !settings.isEmpty else { return nil }
        return settings
    }

    /// Writes the settings of a device unless the position is older than that of its entry; returns whether
    /// they changed.
    mutating func write(_ new: DeviceSettings?, of device: DeviceID, from position: StreamPosition) -> Bool {
        // Fast path for the common case: no device has settings.
        guard new != nil || !entries.isEmpty else { return false }
        let known = entries[device]
        guard new != nil || known != nil, position >= known?.at ?? .zero else { return false }
        let settings = new ?? DeviceSettings()
        entries[device] = Entry(settings: settings, at: position)
        return settings != known?.settings ?? DeviceSettings()
    }

    mutating func remove(_ device: DeviceID) {
        if !entries.isEmpty { entries[device] = nil }
    }

    mutating func resetPositions() {
        entries = entries.mapValues { Entry(settings: $0.settings, at: .zero) }
    }

    /// Removes empty entries once older settings can no longer arrive.
    mutating func dropEmpty() {
        if !entries.isEmpty { entries = entries.filter { !$0.value.settings.isEmpty } }
    }
}
