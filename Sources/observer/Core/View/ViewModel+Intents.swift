import FleetProtocol
import FleetReplica
import UserText

extension ViewModel {
    /// Performs an action of the user, as far as it concerns the screen; returns the effect to execute.
    @discardableResult
    mutating func perform(_ intent: ViewIntent, on replica: Replica, at now: Moment) -> ViewEffect? {
        hint = nil
        let shown = frozen?.replica ?? replica
        switch intent {
        case .move, .page, .first, .last: move(intent, in: shown, at: now.monotonic)
        case .beginFilter: focus = focus == .log ? .logFilter : .filter
        case .type(let character): type(character)
        case .erase: erase()
        case .accept: return accept(on: shown, at: now)
        case .dismiss: dismiss()
        case .nextSort: (table.rule.sort, table.rule.isReversed) = (table.rule.sort.next, false)
        case .reverseSort: table.rule.isReversed.toggle()
        case .nextGrouping: table.rule.grouping = table.rule.grouping.next
        case .chooseColumns: turn(to: .columns)
        case .toggleColumn: table.columns.toggle()
        case .togglePause: togglePause(replica, at: now)
        case .toggleFaultsOnly: table.rule.isFaultsOnly.toggle()
        case .toggleHelp: turn(to: focus == .help ? .table : .help)
        case .toggleRoster: turn(to: focus == .roster ? .table : .roster)
        case .nextPane(let panes): turnToPane(panes, of: shown, at: now.monotonic)
        case .toggleLog: toggleLog()
        case .toggleErrors: toggleErrors()
        case .refreshRoster: refreshRoster(at: now.monotonic)
        case .showDetails:
            table.follow(shown, at: now.monotonic)
            if table.selected != nil { turn(to: .details) }
        case .toggleDetailsBeside: panes.hasDetailsBeside.toggle()
        case .export: focus = .fileName
        case .point(let place): point(at: place, of: shown, at: now.monotonic)
        case .scroll(let lines, let place): scroll(lines, at: place, of: shown, at: now.monotonic)
        case .toggleDevice: return toggle(on: replica, at: now)
        case .cancelToggle: return cancel(on: shown, at: now)
        case .suspend: return suspend(at: now.monotonic)
        case .quit: return quit()
        }
        return nil
    }

    /// Scrolls a page by screens, and help also by lines; otherwise moves the selection, and the details with
    /// it.
    mutating func move(_ intent: ViewIntent, in replica: Replica, at now: MonotonicTime) {
        guard focus != .columns else { return table.columns.move(intent) }
        guard !focus.isLog else { return messages.move(intent, in: frozen?.log, eastOfUTC: eastOfUTC) }
        table.follow(replica, at: now)
        guard focus == .help || focus == .roster || focus == .details && intent.isPaging else {
            return table.move(intent, in: replica)
        }
        panes.top = max(
            0, intent.position(from: panes.top, rowsOnScreen: table.rowsOnScreen, last: Int.max / 2))
    }

    private mutating func type(_ character: Character) {
        switch focus {
        case .filter where filter.text.count < Self.filterLength:
            table.rule.filter(by: filter.text + String(character))
        case .logFilter: messages.type(character)
        case .fileName: dialogs.export.type(character)
        case .table, .filter, .details, .help, .roster, .log, .columns, .replacing, .stopping: break
        }
    }

    private mutating func erase() {
        switch focus {
        case .filter:
            table.rule.filter(by: String(filter.text.dropLast()))
            // The screen no longer shows a filter.
            if filter.isEmpty, table.rule.condition == nil { messageFilter = .all }
        case .logFilter: messages.erase()
        case .fileName: dialogs.export.erase()
        case .table, .details, .help, .roster, .log, .columns, .replacing, .stopping: break
        }
    }

    private mutating func accept(on replica: Replica, at now: Moment) -> ViewEffect? {
        switch focus {
        case .fileName: return export(replica, at: now)
        case .replacing: return replace()
        case .filter: focus = .table
        case .logFilter: focus = .log
        case .table, .details, .help, .roster, .log, .columns, .stopping: break
        }
        return nil
    }

    private mutating func dismiss() {
        guard focus != .stopping else {
            focus = dialogs.quit.previousFocus
            return
        }
        if focus == .filter || focus == .table {
            table.rule.use(.all)
            table.rule.condition = nil
            messageFilter = .all
        }
        if focus == .logFilter {
            messages.clearFilter()
            focus = .log
            return
        }
        if focus == .log { messages.open(errorsOnly: false) }
        dialogs.export.replacement = nil
        turn(to: .table)
    }

    /// Shows the log alone, at its position if it had the focus already; hides it if it was alone.
    private mutating func toggleLog() {
        guard focus != .log || !panes.isLogAlone else { return dismiss() }
        if focus != .log { messages.open(errorsOnly: false) }
        turn(to: .log)
        panes.isLogAlone = true
    }

    /// Moves the focus to another pane; without a device there are no details.
    private mutating func turnToPane(_ panes: Int, of replica: Replica, at now: MonotonicTime) {
        table.follow(replica, at: now)
        let next = focus.next(panes)
        turn(to: next == .details && table.selected == nil ? next.next(panes) : next)
    }

    private mutating func toggleErrors() {
        guard focus != .log else { return messages.toggleErrors() }
        messages.open(errorsOnly: true)
        turn(to: .log)
        panes.isLogAlone = true
    }

    /// Ends the screen; if that stops the fleet, only after a confirmation.
    private mutating func quit() -> ViewEffect? {
        guard dialogs.quit.stopsFleet, focus != .stopping else { return .quit }
        (dialogs.quit.previousFocus, focus) = (focus, .stopping)
        return nil
    }

    /// Stops the process, unless that stops the supervisor of a fleet.
    private mutating func suspend(at now: MonotonicTime) -> ViewEffect? {
        guard dialogs.quit.stopsFleet else { return .suspend }
        hint = Hint(
            "the fleet runs in this terminal: Ctrl-Z works after `\(fleet) up --detach`", .failure, at: now)
        return nil
    }

    mutating func turn(to focus: ViewFocus) {
        self.focus = focus
        (panes.top, panes.isLogAlone) = (0, false)
    }

    private mutating func togglePause(_ replica: Replica, at now: Moment) {
        frozen = isPaused ? nil : Frozen(replica: replica, log: messages.log, past: past, at: now)
    }
}

/// The confirmation before the end of a screen that stops the fleet when it ends.
struct QuitConfirmation: Sendable {
    var stopsFleet = false
    var previousFocus = ViewFocus.table
}

extension ViewModel {
    /// Selects the device or pane at a place, or sorts by a column; on a page it does nothing. A press on the
    /// heading of the sorted column reverses the order.
    mutating func point(at place: ScreenLayout.Place, of replica: Replica, at now: MonotonicTime) {
        guard !panes.showsPage else { return }
        switch place {
        case .heading(let column, let width):
            let column = TableColumn.at(column, in: width, hiding: table.columns.hidden)
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
        guard !panes.showsPage else {
            if focus == .details {
                panes.top = max(0, panes.top + lines)
            } else {
                move(.move(lines), in: replica, at: now)
            }
            return
        }
        switch place {
        case .details: panes.top = max(0, panes.top + lines)
        case .log: messages.move(.move(lines), in: frozen?.log, eastOfUTC: eastOfUTC)
        case .table, .heading:
            table.follow(replica, at: now)
            table.move(.move(lines), in: replica)
        case .elsewhere: break
        }
    }
}
