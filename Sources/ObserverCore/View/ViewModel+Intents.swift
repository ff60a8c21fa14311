public import FleetReplica
public import FleetTime
import UserText

/// What keys do.
extension ViewModel {
    /// Does what a person wants, as far as that is the screen's affair.
    ///
    /// - Returns: What is left for others to do; nil when there is nothing.
    @discardableResult
    public mutating func perform(
        _ intent: ViewIntent, on replica: Replica, at now: Moment
    ) -> ViewEffect? {
        hint = nil
        let shown = frozen?.replica ?? replica
        switch intent {
        case .move, .page, .first, .last: move(intent, in: shown, at: now.monotonic)
        case .beginFilter: focus = .filter
        case .type(let character): type(character)
        case .erase: erase()
        case .accept: return accept(on: shown, at: now)
        case .dismiss: dismiss()
        case .nextSort: rule.sort = rule.sort.next
        case .togglePause: togglePause(replica, at: now)
        case .toggleFaultsOnly: rule.isFaultsOnly.toggle()
        case .toggleHelp: turn(to: focus == .help ? .table : .help)
        case .toggleRoster: turn(to: focus == .roster ? .table : .roster)
        case .toggleLog: toggleLog()
        case .toggleErrors: toggleErrors()
        case .refreshRoster: refreshRoster(at: now.monotonic)
        case .showDetails:
            followOrder(of: shown, at: now.monotonic)
            if selected != nil { turn(to: .details) }
        case .export: focus = .fileName
        case .toggleDevice: return toggle(on: replica, at: now)
        case .cancelToggle: return cancel(on: shown, at: now)
        case .quit: return quit()
        }
        return nil
    }

    /// A page is read screen by screen, help line by line too; else the selection moves, and details with it.
    private mutating func move(_ intent: ViewIntent, in replica: Replica, at now: MonotonicTime) {
        guard focus != .log else {
            return reading.move(intent, in: frozen?.log ?? log, eastOfUTC: eastOfUTC)
        }
        followOrder(of: replica, at: now)
        let isPage = focus == .help || focus == .roster || focus == .details && intent.isPaging
        let position = isPage ? pageTop : selection
        let target =
            switch intent {
            case .move(let rows): position + rows
            case .page(let pages): position + pages * pageRows
            case .first: 0
            default: isPage ? Int.max / 2 : order.places.count - 1
            }
        if isPage {
            pageTop = max(0, target)
        } else {
            select(target, of: replica)
        }
    }

    private mutating func type(_ character: Character) {
        switch focus {
        case .filter where rule.filter.text.count < Self.filterLength:
            rule.filter = DeviceFilter(rule.filter.text + String(character))
        case .fileName where fileName.count < Self.fileNameLength: fileName.append(character)
        case .table, .filter, .details, .help, .roster, .log, .fileName, .replacing, .stopping: break
        }
    }

    private mutating func erase() {
        switch focus {
        case .filter:
            rule.filter = DeviceFilter(String(rule.filter.text.dropLast()))
            // Nothing on the screen says any more that there is a filter.
            if rule.filter.isEmpty, rule.condition == nil { told = .all }
        case .fileName: fileName = String(fileName.dropLast())
        case .table, .details, .help, .roster, .log, .replacing, .stopping: break
        }
    }

    private mutating func accept(on replica: Replica, at now: Moment) -> ViewEffect? {
        switch focus {
        case .fileName: return export(replica, at: now)
        case .replacing: return replace()
        case .filter: focus = .table
        case .table, .details, .help, .roster, .log, .stopping: break
        }
        return nil
    }

    private mutating func dismiss() {
        guard focus != .stopping else {
            focus = focusBeforeStopping
            return
        }
        if focus == .filter || focus == .table {
            (rule.filter, rule.condition) = (.all, nil)
            told = .all
        }
        asked = nil
        turn(to: .table)
    }

    private mutating func toggleLog() {
        guard focus != .log else { return turn(to: .table) }
        reading.begin(errorsOnly: false)
        turn(to: .log)
    }

    private mutating func toggleErrors() {
        guard focus != .log else { return reading.toggleErrors() }
        reading.begin(errorsOnly: true)
        turn(to: .log)
    }

    /// Ends the screen; if that stops the fleet, only after a confirmation.
    private mutating func quit() -> ViewEffect? {
        guard stopsFleet, focus != .stopping else { return .quit }
        (focusBeforeStopping, focus) = (focus, .stopping)
        return nil
    }

    private mutating func turn(to focus: ViewFocus) {
        self.focus = focus
        pageTop = 0
    }

    private mutating func togglePause(_ replica: Replica, at now: Moment) {
        frozen = isPaused ? nil : Frozen(replica: replica, log: log, histories: histories, at: now)
    }
}
