import FleetProtocol
import FleetReplica
public import Stepping

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

/// The roster: who is on duty, and when.
extension ViewModel {
    /// Has the roster loaded that often.
    public mutating func loadRoster(every interval: Duration) {
        duty.schedule = RosterSchedule(interval: interval)
    }

    /// Whether the roster is to be loaded now; what becomes of it is told as ``RosterNews``.
    public mutating func wantsRoster(at now: MonotonicTime) -> Bool { duty.schedule.take(at: now) }

    /// Takes what there is to know of the roster.
    public mutating func take(_ news: RosterNews, at now: MonotonicTime) {
        duty.take(news, at: now)
    }

    /// Whether who is on duty has a line of the screen.
    public var hasDuty: Bool { duty.hasLine }

    /// Somebody wants the roster anew.
    mutating func refreshRoster(at now: MonotonicTime) {
        guard case .signedIn = viewer else {
            let words = viewer == .replaying ? "a recording has no roster" : "nobody has logged in yet"
            hint = Hint(words, .failure, at: now)
            return
        }
        duty.schedule.ask()
        hint = Hint("the roster is being loaded", .neutral, at: now)
    }
}

extension ViewModel {
    /// Lets go of what it has made of a replica, and of what was told of it: another follows, perhaps of an
    /// earlier time.
    public mutating func rewind() {
        log = MessageLog()
        reading = LogReading()
        frozen = nil
        hint = nil
        order = TableOrder()
        histories = DeviceHistories()
        rate = UpdateRate()
    }
}

/// Which row is selected, and which are on the screen.
extension ViewModel {
    /// Brings the order up to date, and keeps the selection on its device.
    mutating func followOrder(of replica: Replica, at now: MonotonicTime) {
        if order.refresh(replica, rule: rule, at: now) {
            let place = selected.flatMap { replica.devices.place(of: $0) }
            let moved = place.flatMap { order.places.firstIndex(of: $0) }
            selection = moved ?? selection
        }
        select(selection, of: replica)
    }

    /// Moves the selection to a row, or to the nearest that there is.
    mutating func select(_ row: Int, of replica: Replica) {
        selection = max(0, min(row, order.places.count - 1))
        selected = order.places.dropFirst(selection).first.map { replica.devices[$0].device }
        scroll()
    }

    /// Keeps the selected row on the screen, and the screen full.
    mutating func scroll() {
        top = min(top, selection)
        top = max(top, selection - pageRows + 1)
        top = max(0, min(top, order.places.count - pageRows))
    }
}
