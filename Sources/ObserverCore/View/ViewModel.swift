import FleetProtocol
public import FleetReplica
public import FleetTime
public import UserText

/// What a person looks at: takes events, results and intents; gives rows, messages, a status, and what shall
/// be done.
///
/// It holds no copy of the fleet, save while the screen stands still.
public struct ViewModel: Sendable {
    /// The maximum length of a filter, characters.
    public static let filterLength = 64
    /// What stands still while paused.
    struct Frozen {
        let replica: Replica
        let log: MessageLog
        let histories: DeviceHistories
        let at: Moment
    }

    /// What the keys go to.
    public internal(set) var focus = ViewFocus.table

    /// Whose devices they are, fit for a terminal: a recording's file may say anything.
    let account: String
    let eastOfUTC: LocalOffset
    var table = TableView()
    /// Whose events are told: as it was started, until filters are dropped.
    var told = EventFilter.all
    var messages = Messages()
    var histories = DeviceHistories()
    var statusSources = StatusSources()
    var frozen: Frozen?
    /// Who would toggle.
    var viewer = Viewer.unknown
    var pending: PendingToggles
    /// Who is on duty.
    var duty = DutyBoard()
    var hint: Hint?
    var exporting = ExportDialog()
    var quitting = QuitConfirmation()
    /// The first line of the page on the screen.
    var pageTop = 0

    /// The view of an account, filtered from the start, for somebody with those clocks.
    ///
    /// - Parameter random: 64 random bits or more must be in it: the ids of requests come from it.
    public init(
        account: String, filter: DeviceFilter = .all, eastOfUTC: @escaping LocalOffset = { _ in .zero },
        random: SeededGenerator
    ) {
        self.account = SafeText.of(account)
        self.eastOfUTC = eastOfUTC
        pending = PendingToggles(random: random)
        table.rule.filter = filter
    }

    /// The view of an account with a condition for its devices from the start: a text is a filter as if it
    /// had been typed, anything else holds until filters are dropped.
    public init(
        account: String, condition: Condition?, eastOfUTC: @escaping LocalOffset = { _ in .zero },
        random: SeededGenerator
    ) {
        self.init(account: account, eastOfUTC: eastOfUTC, random: random)
        if case .text(let filter) = condition {
            table.rule.filter = filter
        } else {
            table.rule.condition = condition
        }
        told = EventFilter(condition)
    }

    /// Whether the screen stands still.
    public var isPaused: Bool { frozen != nil }
    /// The filter.
    public var filter: DeviceFilter { table.rule.filter }
    /// The sort order.
    public var sort: TableSort { table.rule.sort }
    /// Whether only what is not online is shown.
    public var isFaultsOnly: Bool { table.rule.isFaultsOnly }
    /// How many toggles are on their way.
    public var pendingCount: Int { pending.entries.count }

    /// Whether an event is one to tell of: the condition that the view was started with holds of it, or that
    /// was dropped, or it concerns no single device.
    ///
    /// What is typed at the screen looks among devices, and leaves the messages as they are.
    public func tells(_ event: ObserverEvent, of replica: Replica) -> Bool {
        told.matches(event, of: replica)
    }

    /// Adds a message.
    ///
    /// - Parameter isStored: Whether a log file has it already.
    public mutating func add(_ line: EventLine, isStored: Bool = false) {
        messages.append(line, isStored: isStored)
    }

    /// The number of messages added so far.
    public var messageCount: Int { messages.log.count }

    /// The errors from a message's number on that no log file has yet, oldest first.
    public func unstoredErrors(from number: Int) -> [EventLine] { messages.log.unstoredErrors(from: number) }

    /// Requires a confirmation before the screen ends, because its end stops the fleet.
    public mutating func stopFleetAtQuit() {
        quitting.stopsFleet = true
    }

    /// Takes an event into the history of its devices.
    public mutating func take(_ event: ObserverEvent) {
        histories.take(event)
    }

    /// Takes what the screen is only shown until.
    public mutating func await(_ condition: String) {
        statusSources.await(condition)
    }

    /// Takes where the fleet's page is, and who can log in there; nil where that is unknown.
    public mutating func take(_ address: FleetAddress?) {
        statusSources.address = address
    }

    /// Takes how many changes have come that the replica has not taken yet.
    public mutating func note(unread: Int) {
        statusSources.unread = unread
    }

    /// Takes who looks at the screen.
    public mutating func become(_ viewer: Viewer) {
        self.viewer = viewer
    }

    /// What is to be seen now on a screen with room for that many rows, or lines of a page, and messages.
    ///
    /// - Parameter width: The columns of a page.
    public mutating func content(
        of replica: Replica, rows: Int, messages: Int, width: Int = 80, at now: Moment
    ) -> ScreenContent {
        statusSources.sample(replica.updateCount, at: now.monotonic)
        pending.settle(by: replica, at: now.monotonic)
        if let shown = hint, shown.until <= now.monotonic { hint = nil }
        let shown = frozen?.replica ?? replica
        let shownAt = frozen?.at ?? now
        table.follow(shown, at: now.monotonic)
        let visible = table.visibleRows(of: shown, rows: rows)
        histories.show(visible, of: shown.deviceCount)
        let rule = table.rule
        return ScreenContent(
            account: account,
            rule: ScreenContent.Rule(
                sort: rule.sort, filter: rule.filter,
                condition: rule.condition.map { SafeText.of($0.description) },
                isFaultsOnly: rule.isFaultsOnly),
            focus: focus, prompt: prompt,
            hint: hint.map { ScreenContent.Hint(words: $0.words, tone: $0.tone) },
            rows: visible.map { line(shown, $0, at: shownAt) }, firstRow: table.top,
            rowCount: table.rowCount,
            page: page(
                of: shown, rows: rows, width: width, obstacle: obstacle(in: replica), at: shownAt),
            messages: (frozen?.log ?? self.messages.log).newest(messages), eastOfUTC: eastOfUTC(now.wall),
            viewer: viewer, duty: duty.line(at: now.wall, eastOfUTC: eastOfUTC),
            status: statusSources.status(
                of: replica, pausedAt: frozen?.replica.updateCount, pending: pendingCount, at: now.monotonic))
    }

    func line(_ replica: Replica, _ row: ReplicaRow, at now: Moment) -> ScreenContent.Row {
        return ScreenContent.Row(
            device: replica.named(row), state: row.reported,
            presence: replica.node(of: row).presence(of: row), age: row.asOf.duration(to: now.wall),
            measured: row.measured?.measurements,
            deciCelsius: (frozen?.histories ?? histories).deciCelsius(of: row.device),
            expected: pending[row.device]?.expected, isSelected: row.device == table.selected)
    }
}
