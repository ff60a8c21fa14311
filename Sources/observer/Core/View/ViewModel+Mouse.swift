import FleetProtocol
import FleetReplica

/// The actions of the mouse.
extension ViewModel {
    /// Selects the device or pane at a place, or sorts by a column; on a page it does nothing.
    ///
    /// A press on the heading of the sorted column reverses the order.
    mutating func point(at place: ScreenLayout.Place, of replica: Replica, at now: MonotonicTime) {
        guard !showsPage else { return }
        switch place {
        case .heading(let column, let width):
            let column = TableColumn.at(column, in: width, hiding: columns.hidden)
            guard let sort = column?.sort else { return }
            let isSame = table.rule.sort == sort
            (table.rule.sort, table.rule.isReversed) = (sort, isSame && !table.rule.isReversed)
        case .table(let line):
            table.follow(replica, at: now)
            if table.select(line: line, of: replica), focus != .table { turn(to: .table) }
        case .details: if focus != .details, table.selected != nil { turn(to: .details) }
        case .log: if !focus.isLog { turn(to: .log) }
        case .elsewhere: break
        }
    }

    /// Scrolls the page, or the table, log or details at a place; the table moves its selection.
    mutating func scroll(
        _ lines: Int, at place: ScreenLayout.Place, of replica: Replica, at now: MonotonicTime
    ) {
        guard !showsPage else {
            if focus == .details {
                pageTop = max(0, pageTop + lines)
            } else {
                move(.move(lines), in: replica, at: now)
            }
            return
        }
        switch place {
        case .details: pageTop = max(0, pageTop + lines)
        case .log: messages.move(.move(lines), in: frozen?.log, eastOfUTC: eastOfUTC)
        case .table, .heading:
            table.follow(replica, at: now)
            table.move(.move(lines), in: replica)
        case .elsewhere: break
        }
    }
}
