import FleetProtocol
import FleetReplica

/// The pages that replace the table, and the details beside it.
extension ViewModel {
    /// Returns the visible lines of the open page, from its scroll position on; nil while the table is shown.
    /// Details beside the table, and the log below it, are not a page. An obstacle is why devices cannot be
    /// toggled.
    mutating func page(
        of replica: Replica, rows: Int, width: Int, isBeside: Bool, hasLogBelow: Bool, obstacle: String?,
        at now: Moment
    ) -> ScreenContent.Page? {
        let lines: [ScreenLine]
        switch focus {
        case .table, .filter, .fileName, .replacing, .stopping: return nil
        case .log, .logFilter: return hasLogBelow ? nil : logPage(rows: rows, width: width)
        case .columns: lines = table.columns.lines
        case .roster: lines = boards.duty.page(at: now.wall, eastOfUTC: eastOfUTC, fleet: fleet)
        case .help:
            lines = HelpText.lines(
                obstacle: obstacle, isReplay: viewer == .replaying, address: statusSources.address)
        case .details:
            guard let device = deviceLines(of: replica, width: width, at: now) else {
                // The device has left the fleet, or the replica is empty.
                focus = .table
                return nil
            }
            guard !isBeside else { return nil }
            lines = device
        }
        return visible(lines, rows: rows, title: focus == .help ? "keys" : "\(focus)")
    }

    /// Returns the visible lines of the details beside the table; nil without them, or without a device.
    mutating func details(of replica: Replica, rows: Int, width: Int, at now: Moment) -> ScreenContent.Page? {
        guard width > 0, let lines = deviceLines(of: replica, width: width, at: now) else { return nil }
        return visible(lines, rows: rows, title: "details")
    }

    private mutating func visible(_ lines: [ScreenLine], rows: Int, title: String) -> ScreenContent.Page {
        panes.top = max(0, min(panes.top, lines.count - max(1, rows)))
        return ScreenContent.Page(
            title: title, lines: Array(lines.dropFirst(panes.top).prefix(max(0, rows))),
            below: max(0, lines.count - panes.top - max(0, rows)))
    }

    /// Returns all lines of the selected device's details; nil without a device.
    private func deviceLines(of replica: Replica, width: Int, at now: Moment) -> [ScreenLine]? {
        guard let row = table.selected.flatMap({ replica.row(of: $0) }) else { return nil }
        return DevicePage(
            details(of: row, in: replica, at: now), width: width, eastOfUTC: eastOfUTC(now.wall)
        ).lines
    }

    /// Returns the part of the log below the table; nil without lines for it.
    mutating func log(rows: Int, width: Int) -> ScreenContent.LogPart? {
        guard rows > 0 else { return nil }
        return messages.part(of: frozen?.log, rows: rows, width: width, hasDates: false, eastOfUTC: eastOfUTC)
    }

    private mutating func logPage(rows: Int, width: Int) -> ScreenContent.Page {
        let part = messages.part(
            of: frozen?.log, rows: rows, width: width, hasDates: true, eastOfUTC: eastOfUTC)
        let none = part.filter.isEmpty ? "no messages yet" : "no message contains “\(part.filter)”"
        return ScreenContent.Page(
            title: part.title(isTyping: focus == .logFilter),
            lines: part.lines.isEmpty ? [ScreenLine(none, .dim)] : part.lines, below: 0,
            position: part.position)
    }

    private func details(of row: ReplicaRow, in replica: Replica, at now: Moment) -> DevicePage.Details {
        let histories = (frozen?.past ?? past).histories
        return DevicePage.Details(
            line: line(replica, row, at: now), group: replica.group(of: row),
            settings: replica.settings(of: row.device), measured: row.measured,
            togglesUs: histories.togglesUs(of: row.device), posts: postLines(about: row.device, at: now.wall),
            events: histories.events(of: row.device, on: replica.node(of: row).name), now: now.wall)
    }

    private func postLines(about device: DeviceID, at now: WallTime) -> [(text: String, style: Style)] {
        switch viewer {
        case .signedIn: boards.posts.lines(about: device, at: now)
        case .unknown, .signedOut: [("not logged in", .dim)]
        case .replaying: [("a recording has no logbook", .dim)]
        }
    }
}

extension ViewModel {
    mutating func loadRoster(every interval: Duration) {
        boards.duty.schedule = LoadSchedule(interval: interval)
    }

    /// Returns whether the caller must load the roster now; it reports the result as ``RosterEvent``.
    mutating func wantsRoster(at now: MonotonicTime) -> Bool { boards.duty.schedule.claim(at: now) }

    mutating func handle(_ event: RosterEvent, at now: MonotonicTime) { boards.duty.handle(event, at: now) }

    var hasDuty: Bool { boards.duty.hasLine }

    /// Requests that the roster is loaded again, or shows why it cannot be.
    mutating func refreshRoster(at now: MonotonicTime) {
        guard case .signedIn = viewer else {
            let text = viewer == .replaying ? "a recording has no roster" : "not logged in yet"
            hint = Hint(text, .failure, at: now)
            return
        }
        boards.duty.schedule.ask()
        hint = Hint("loading the roster…", .neutral, at: now)
    }
}

extension ViewModel {
    /// Returns whether the caller must load the newest posts now; it reports the result as ``PostEvent``.
    mutating func wantsPosts(at now: MonotonicTime) -> Bool {
        guard panes.showsDetails, case .signedIn = viewer else { return false }
        return boards.posts.claim(at: now)
    }

    mutating func handle(_ event: PostEvent, at now: MonotonicTime) { boards.posts.handle(event, at: now) }
}

extension ViewModel {
    /// Resets all state derived from a replica and its events, before another replica follows, perhaps of an
    /// earlier time.
    mutating func rewind() {
        messages = Messages()
        frozen = nil
        hint = nil
        table.resetOrder()
        past = Past()
        statusSources.restartRate()
    }
}
