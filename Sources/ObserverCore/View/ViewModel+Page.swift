import FleetProtocol
import FleetReplica
import Stepping

/// What takes the table's place.
extension ViewModel {
    /// The lines of the page that is open, from the one it was moved to on; nil while the table is shown.
    ///
    /// - Parameter obstacle: Why nothing can be toggled; nil when something can.
    mutating func page(
        of replica: Replica, rows: Int, width: Int, obstacle: String?, at now: Moment
    ) -> ScreenContent.Page? {
        let lines: [ScreenLine]
        switch focus {
        case .table, .filter, .fileName, .replacing, .stopping: return nil
        case .log:
            return reading.page(
                of: frozen?.log ?? log, rows: rows, width: width, eastOfUTC: eastOfUTC)
        case .roster: lines = duty.page(at: now.wall, eastOfUTC: eastOfUTC)
        case .help:
            lines = HelpText.lines(
                obstacle: obstacle, isReplay: viewer == .replaying, address: address)
        case .details:
            guard let row = selected.flatMap({ replica.row(of: $0) }) else {
                // It has left the fleet, or nothing is shown any more.
                focus = .table
                return nil
            }
            lines = DevicePage(details(of: row, in: replica, at: now)).lines(
                eastOfUTC: eastOfUTC(now.wall))
        }
        pageTop = max(0, min(pageTop, lines.count - max(1, rows)))
        return ScreenContent.Page(
            title: focus == .help ? "keys" : focus == .roster ? "roster" : "details",
            lines: Array(lines.dropFirst(pageTop).prefix(max(0, rows))),
            below: max(0, lines.count - pageTop - max(0, rows)))
    }

    private func details(of row: ReplicaRow, in replica: Replica, at now: Moment) -> DevicePage.Details {
        let histories = frozen?.histories ?? histories
        return DevicePage.Details(
            line: line(replica, row, at: now), group: replica.group(of: row), measured: row.measured,
            events: histories.events(of: row.device, on: replica.node(of: row).name), now: now.wall)
    }
}
