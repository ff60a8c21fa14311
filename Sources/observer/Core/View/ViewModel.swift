import FleetProtocol
import FleetReplica
import UserText

/// The model of the observer's screen: it processes events, results and intents, and returns rows, messages,
/// a status and effects. It has a copy of the replica only while the screen is paused.
struct ViewModel: Sendable {
    static let filterLength = 256
    struct Frozen {
        let replica: Replica
        let log: MessageLog
        let past: Past
        let at: Moment
    }

    var focus = ViewFocus.table

    /// The account of the devices, sanitized, because a recording's file may contain any text.
    let account: String
    let eastOfUTC: LocalOffset
    var table = TableView()
    /// The filter for messages: the initial condition, until the user clears it.
    var messageFilter = EventFilter.all
    var messages = Messages()
    var past = Past()
    var statusSources = StatusSources()
    var frozen: Frozen?
    var viewer = Viewer.unknown
    var pending: PendingToggles
    var boards = Boards()
    var hint: Hint?
    var dialogs = Dialogs()
    var panes = Panes()
    /// The settings that the caller has, or has stored last; nil if it must store them in any case.
    var storedSettings: ScreenSettings? = ScreenSettings()

    /// The view of an account; the generator needs at least 64 random bits.
    init(account: String, eastOfUTC: @escaping LocalOffset = { _ in .zero }, random: SeededGenerator) {
        (self.account, self.eastOfUTC) = (SafeText.of(account), eastOfUTC)
        pending = PendingToggles(random: random)
    }

    /// The view of an account with an initial condition. A text becomes the filter as if it had been typed;
    /// any other condition applies until the user clears the filters.
    init(
        account: String, condition: Condition?, eastOfUTC: @escaping LocalOffset = { _ in .zero },
        random: SeededGenerator
    ) {
        self.init(account: account, eastOfUTC: eastOfUTC, random: random)
        if case .text(let filter) = condition {
            table.rule.use(filter)
        } else {
            table.rule.condition = condition
        }
        messageFilter = EventFilter(condition)
    }

    /// The words that call `fleet`.
    var fleet: String { statusSources.fleet }
    var isPaused: Bool { frozen != nil }
    var filter: DeviceFilter { table.rule.filter }
    var sort: TableSort { table.rule.sort }
    var pendingCount: Int { pending.entries.count }

    /// Whether an event becomes a message: the initial condition holds for its device or was cleared, or the
    /// event does not concern a single device. A filter that is typed on the screen applies to devices, not
    /// to messages.
    func shows(_ event: ObserverEvent, of replica: Replica) -> Bool {
        messageFilter.matches(event, of: replica)
    }

    /// Adds a message; a log file may have it already.
    mutating func add(_ line: EventLine, isStored: Bool = false) {
        messages.append(line, isStored: isStored)
    }

    /// Collects every further message for ``takeMessages()``, which must then be called at each turn.
    mutating func collectMessages() { messages.collect() }

    mutating func exportCSV(as csv: CSVText) { dialogs.export.csv = csv }

    /// Returns the messages since the last call, oldest first; none before ``collectMessages()``.
    mutating func takeMessages() -> [EventLine] { messages.takeUnwritten() }

    var messageCount: Int { messages.log.count }

    /// The errors from a message's number on that no log file has yet, oldest first.
    func unstoredErrors(from number: Int) -> [EventLine] { messages.log.unstoredErrors(from: number) }

    /// Requires a confirmation before the screen ends, because its end stops the fleet.
    mutating func stopFleetAtQuit() { dialogs.quit.stopsFleet = true }

    /// Adds an event to the history of its devices and to the counts.
    mutating func handle(_ event: ObserverEvent) {
        past.histories.handle(event)
        past.activity.handle(event)
    }

    mutating func await(_ condition: String) { statusSources.await(condition) }

    /// Sets the address of the fleet's page; nil if unknown.
    mutating func handle(_ address: FleetAddress?) { statusSources.address = address }

    /// Sets the number of received changes that the replica has not applied.
    mutating func record(unread: Int) { statusSources.unread = unread }

    mutating func become(_ viewer: Viewer) { self.viewer = viewer }

    func layout(width: Int, height: Int) -> ScreenLayout {
        let isBeside = panes.hasDetailsBeside && ScreenLayout.hasRoomForDetails(width: width, height: height)
        return ScreenLayout(
            width: width, height: height, isPage: hasPage(withDetailsBeside: isBeside), hasDuty: hasDuty,
            hasKeys: viewer != .replaying, hasDetails: panes.hasDetailsBeside)
    }

    /// Whether a page replaces the table and the messages, if the screen has lines for messages at all.
    private func hasPage(withDetailsBeside isBeside: Bool) -> Bool {
        switch focus {
        case .details: !isBeside
        case .help, .roster, .columns: true
        case .log, .logFilter: panes.isLogAlone
        case .table, .filter, .fileName, .replacing, .stopping: false
        }
    }

    /// Returns the current content for a screen with that many rows, or lines of a page, and messages. The
    /// details beside the table have a width of 0 without them.
    mutating func content(
        of replica: Replica, rows: Int, messages: Int, width: Int = 80, detailsWidth: Int = 0, at now: Moment
    ) -> ScreenContent {
        past.activity.sample(replica, at: now)
        statusSources.sample(replica.updateCount, at: now.monotonic)
        pending.settle(by: replica, at: now.monotonic)
        if let shown = hint, shown.until <= now.monotonic { hint = nil }
        let shown = frozen?.replica ?? replica
        let shownAt = frozen?.at ?? now
        table.follow(shown, at: now.monotonic)
        let visible = table.visible(of: shown, rows: rows)
        past.histories.show(visible.rows, of: shown.deviceCount)
        let rule = table.rule
        let details = details(of: shown, rows: rows, width: detailsWidth, at: shownAt)
        let page = page(
            of: shown, rows: rows, width: width, isBeside: detailsWidth > 0, hasLogBelow: messages > 0,
            obstacle: obstacle(in: replica), at: shownAt)
        panes.showsPage = page != nil
        panes.showsDetails = details != nil || focus == .details
        return ScreenContent(
            account: account,
            rule: ScreenContent.Rule(
                sort: rule.sort, isReversed: rule.isReversed, filter: rule.filter,
                problem: rule.problem.map { SafeText.of($0) },
                condition: rule.condition.map { SafeText.of($0.description) },
                isFaultsOnly: rule.isFaultsOnly, grouping: rule.grouping, hiddenColumns: table.columns.hidden),
            focus: focus, prompt: prompt,
            hint: hint.map { ScreenContent.Hint(text: $0.text, tone: $0.tone) },
            rows: visible.rows.map { line(shown, $0, at: shownAt) },
            groups: visible.groups.map { ScreenContent.Group($1, of: rule.grouping, line: $0) },
            firstRow: visible.firstRow, rowCount: table.rowCount,
            page: page, details: details, log: log(rows: messages, width: width), viewer: viewer,
            duty: boards.duty.line(at: now.wall, eastOfUTC: eastOfUTC),
            activity: (frozen?.past ?? past).activity,
            status: statusSources.status(
                of: replica, pausedAt: frozen?.replica.updateCount, pending: pendingCount, at: now.monotonic))
    }

    func line(_ replica: Replica, _ row: ReplicaRow, at now: Moment) -> ScreenContent.Row {
        return ScreenContent.Row(
            device: replica.named(row), state: row.reported,
            presence: replica.node(of: row).presence(of: row), age: row.asOf.duration(to: now.wall),
            measured: row.measured?.measurements,
            deciCelsius: (frozen?.past ?? past).histories.deciCelsius(of: row.device),
            expected: pending[row.device]?.expected, isSelected: row.device == table.selected)
    }
}

/// The parts of the view's state.
extension ViewModel {
    /// What the events so far have shown.
    struct Past {
        var histories = DeviceHistories()
        var activity = Activity()
    }

    /// What is loaded from account services.
    struct Boards {
        var duty = DutyBoard()
        var posts = PostBoard()
    }

    /// The questions that the user is asked.
    struct Dialogs {
        var export = ExportDialog()
        var quit = QuitConfirmation()
    }

    /// The panes beside the table, and the pages in its place.
    struct Panes {
        /// Whether the log is shown alone while it has the focus.
        var isLogAlone = false
        var hasDetailsBeside = true
        var showsDetails = false
        var showsPage = false
        /// The first visible line of the page or of the details.
        var top = 0
    }
}

/// The user of the screen, as far as the controller knows it.
enum Viewer: Hashable, Sendable {
    case unknown
    case signedIn(Email, Session.Role)
    /// The session is missing or invalid; the advice to the user.
    case signedOut(advice: String)
    /// The screen shows a recording, whose time the user can move.
    case replaying
}

/// Returns the offset of local time from UTC at a time, positive to the east.
typealias LocalOffset = @Sendable (WallTime) -> Duration
