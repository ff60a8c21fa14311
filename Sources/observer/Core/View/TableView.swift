import FleetProtocol
import FleetReplica
import UserText

struct TableView: Sendable {
    var rule = TableOrder.Rule()
    var columns = ColumnDialog()
    private var order = TableOrder()
    /// The index of the selected row among those that pass the filter.
    private var selection = 0
    private(set) var selected: DeviceID?
    /// The first line on the screen, among the lines of devices and of groups.
    private(set) var top = 0
    private(set) var rowsOnScreen = 1

    var rowCount: Int { order.places.count }

    private var lineCount: Int { order.groups.lineCount(devices: order.places.count) }

    /// Updates the order of the rows, and keeps the selection on its device.
    mutating func follow(_ replica: Replica, at now: MonotonicTime) {
        if order.refresh(replica, rule: rule, at: now) {
            let place = selected.flatMap { replica.devices.place(of: $0) }
            let moved = place.flatMap { order.places.firstIndex(of: $0) }
            selection = moved ?? selection
        }
        select(selection, of: replica)
    }

    /// Returns the selected device's row in the current order; nil without a selection.
    mutating func selectedRow(of replica: Replica, at now: MonotonicTime) -> ReplicaRow? {
        follow(replica, at: now)
        return selected.flatMap { replica.row(of: $0) }
    }

    mutating func move(_ intent: ViewIntent, in replica: Replica) {
        select(
            intent.position(from: selection, rowsOnScreen: rowsOnScreen, last: order.places.count - 1),
            of: replica)
    }

    struct Visible {
        var rows: [ReplicaRow] = []
        var groups: [(line: Int, group: TableGroup)] = []
        var firstRow = 0
    }

    /// Returns the lines on a screen of a size, and scrolls so that the screen is full.
    mutating func visible(of replica: Replica, rows: Int) -> Visible {
        rowsOnScreen = max(1, rows)
        scroll()
        var visible = Visible()
        for (place, line) in (top..<min(top + max(0, rows), lineCount)).enumerated() {
            switch order.groups.content(ofLine: line) {
            case .group(let group): visible.groups.append((place, group))
            case .device(let index):
                if visible.rows.isEmpty { visible.firstRow = index }
                visible.rows.append(replica.devices[order.places[index]])
            }
        }
        return visible
    }

    /// Selects the device on a line of the screen; returns false for a line without one.
    mutating func select(line: Int, of replica: Replica) -> Bool {
        guard top + line < lineCount, case .device(let index) = order.groups.content(ofLine: top + line)
        else { return false }
        select(index, of: replica)
        return true
    }

    /// The bytes of all rows that pass the filter, in a format.
    func export(_ replica: Replica, as format: TableExport.Format, _ csv: CSVText) -> [UInt8] {
        TableExport.bytes(
            of: order.places.lazy.map { replica.devices[$0] }, in: replica, as: format, csv)
    }

    /// Forgets the order, before another replica follows.
    mutating func resetOrder() { order = TableOrder() }

    private mutating func select(_ row: Int, of replica: Replica) {
        selection = max(0, min(row, order.places.count - 1))
        selected = order.places.dropFirst(selection).first.map { replica.devices[$0].device }
        scroll()
    }

    /// Scrolls so that the selected row is visible, with the line of its group if it is the first one, and
    /// the screen is full.
    private mutating func scroll() {
        let line = order.groups.line(ofDevice: selection)
        top = min(top, order.groups.isFirst(selection) ? line - 1 : line)
        top = max(top, line - rowsOnScreen + 1)
        top = max(0, min(top, lineCount - rowsOnScreen))
    }
}

extension ViewIntent {
    /// Returns the position to which an intent moves, which may be outside of the table or the page.
    func position(from position: Int, rowsOnScreen: Int, last: Int) -> Int {
        switch self {
        case .move(let rows): position + rows
        case .page(let pages): position + pages * rowsOnScreen
        case .first: 0
        default: last
        }
    }
}
