import FleetProtocol

/// The rows of a replica in the order of the controller's slots, and where each device's row is.
///
/// A row that goes leaves its place empty, so other places hold; ``pack()`` closes the gaps.
struct DeviceTable: Sendable {
    private(set) var rows: [ReplicaRow] = []
    private(set) var goneCount = 0
    private(set) var revisions = Revisions()
    private var places = DeviceIndex()

    /// What an order of the rows may rest on, each raised by its changes.
    struct Revisions: Sendable, Equatable {
        /// Rows came or went.
        var changed: UInt64 = 0
        /// Names changed.
        var renamed: UInt64 = 0
        /// Rows moved to other places.
        var packed: UInt64 = 0
    }

    /// How many devices there are.
    var count: Int { rows.count - goneCount }

    subscript(place: Int) -> ReplicaRow {
        get { rows[place] }
        _modify { yield &rows[place] }
    }

    /// Where a device's row is; nil when there is none.
    func place(of device: DeviceID) -> Int? { places.slot(of: device) { rows[$0].device } }

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
