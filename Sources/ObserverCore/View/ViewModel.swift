import FleetProtocol
public import Stepping
public import Wording

/// What a person looks at: takes updates and intents, gives rows, messages and a status.
///
/// It holds no copy of the fleet, save while the screen stands still.
public struct ViewModel: Sendable {
    /// Characters in a filter.
    public static let filterLength = 64

    /// What stands still while paused.
    private struct Frozen {
        let replica: Replica
        let log: MessageLog
        let at: Moment
    }

    /// Whether a filter is being typed.
    public private(set) var isTyping = false
    /// Whether the keys are shown.
    public private(set) var showsHelp = false

    private let account: String
    private let eastOfUTC: Duration
    var rule = TableOrder.Rule()
    var order = TableOrder()
    private var log = MessageLog()
    var rate = UpdateRate()
    private var frozen: Frozen?
    /// The row that is selected, among those shown.
    private var selection = 0
    private var selected: DeviceID?
    /// The first row on the screen.
    private var top = 0
    private var pageRows = 1

    /// The view of an account, filtered from the start, for somebody that far east of UTC.
    public init(account: String, filter: DeviceFilter = .all, eastOfUTC: Duration = .zero) {
        self.account = account
        self.eastOfUTC = eastOfUTC
        rule.filter = filter
    }

    /// The view of an account with a condition for its devices from the start: a text is a filter as if it
    /// had been typed, anything else holds until filters are dropped.
    public init(account: String, condition: Condition?, eastOfUTC: Duration = .zero) {
        self.init(account: account, eastOfUTC: eastOfUTC)
        if case .text(let filter) = condition {
            rule.filter = filter
        } else {
            rule.condition = condition
        }
    }

    /// Whether the screen stands still.
    public var isPaused: Bool { frozen != nil }
    /// The filter.
    public var filter: DeviceFilter { rule.filter }
    /// The sort order.
    public var sort: TableSort { rule.sort }
    /// Whether only what is not online is shown.
    public var isFaultsOnly: Bool { rule.isFaultsOnly }

    /// Adds a message.
    public mutating func add(_ line: EventLine) {
        log.append(line)
    }

    /// Does what a person wants; ``ViewIntent/quit`` is the driver's affair and changes nothing here.
    public mutating func perform(_ intent: ViewIntent, on replica: Replica, at now: Moment) {
        switch intent {
        case .move(let rows): select(selection + rows)
        case .page(let pages): select(selection + pages * pageRows)
        case .first: select(0)
        case .last: select(order.places.count - 1)
        case .beginFilter: isTyping = true
        case .type(let character):
            guard isTyping, rule.filter.text.count < Self.filterLength else { return }
            rule.filter = DeviceFilter(rule.filter.text + String(character))
        case .erase: rule.filter = DeviceFilter(String(rule.filter.text.dropLast()))
        case .acceptFilter: isTyping = false
        case .dropFilter:
            isTyping = false
            showsHelp = false
            rule.filter = .all
            rule.condition = nil
        case .nextSort: rule.sort = rule.sort.next
        case .togglePause:
            frozen = isPaused ? nil : Frozen(replica: replica, log: log, at: now)
        case .toggleFaultsOnly: rule.isFaultsOnly.toggle()
        case .toggleHelp: showsHelp.toggle()
        case .quit: break
        }
    }

    /// What is to be seen now on a screen with room for that many rows and messages.
    public mutating func content(
        of replica: Replica, rows: Int, messages: Int, at now: Moment
    ) -> ScreenContent {
        rate.sample(replica.updateCount, at: now.monotonic)
        let shown = frozen?.replica ?? replica
        let shownAt = frozen?.at ?? now
        if order.refresh(shown, rule: rule, at: now.monotonic) { followSelection(in: shown) }
        pageRows = max(1, rows)
        scroll()
        let visible = order.places.dropFirst(top).prefix(max(0, rows))
        selected = order.places.dropFirst(selection).first.map { shown.devices[$0].device }
        return ScreenContent(
            account: account, sort: rule.sort, filter: rule.filter, isTyping: isTyping,
            isFaultsOnly: rule.isFaultsOnly, showsHelp: showsHelp,
            rows: visible.map { line(shown, $0, at: shownAt) }, firstRow: top, rowCount: order.places.count,
            messages: (frozen?.log ?? log).newest(messages), eastOfUTC: eastOfUTC,
            status: status(of: replica, at: now))
    }

    private func line(_ replica: Replica, _ place: Int, at now: Moment) -> ScreenContent.Row {
        let row = replica.devices[place]
        return ScreenContent.Row(
            device: replica.named(row), state: row.reported,
            presence: replica.node(of: row).presence(of: row), age: row.asOf.duration(to: now.wall),
            isSelected: row.device == selected)
    }

    private func status(of replica: Replica, at now: Moment) -> ScreenContent.Status {
        let staleFor = replica.rightUntil.map { $0.monotonic.duration(to: now.monotonic) }
        return ScreenContent.Status(
            connection: replica.connection, devices: replica.deviceCount, online: replica.onlineCount,
            updatesPerSecond: rate.perSecond, behind: replica.behind,
            staleness: replica.staleness, staleFor: replica.isWhole ? nil : staleFor,
            pausedBy: frozen.map { replica.updateCount - $0.replica.updateCount })
    }

    private mutating func select(_ row: Int) {
        selection = max(0, min(row, order.places.count - 1))
        scroll()
    }

    /// Keeps the selection on its device when rows moved.
    private mutating func followSelection(in replica: Replica) {
        let place = selected.flatMap { replica.devices.place(of: $0) }
        let moved = place.flatMap { order.places.firstIndex(of: $0) }
        select(moved ?? selection)
    }

    /// Keeps the selected row on the screen, and the screen full.
    private mutating func scroll() {
        top = min(top, selection)
        top = max(top, selection - pageRows + 1)
        top = max(0, min(top, order.places.count - pageRows))
    }
}
