import FleetProtocol
import FleetReplica
import ProcessSupport

/// Shows a table on a terminal, with messages and a status below.
struct LivePresenter: Presenter {
    private var view: ViewModel
    private var drawn = DrawnRows()
    private var writer: ScreenWriter
    private let size: @Sendable () -> (columns: Int, lines: Int)
    /// The terminal's clock, because the time of a replayed recording may stop or go back.
    private let clock: @Sendable () -> MonotonicTime
    /// Reads the current address of the fleet's page; nil if it is not known.
    private let address: @Sendable () -> FleetAddress?
    private var pace = FramePace()
    private var narration = Narration()
    private var lines: [EventLine] = []
    /// The layout of the last screen; nil before the first.
    private var layout: ScreenLayout?
    /// The number of messages whose errors were returned.
    private var storedCount = 0

    init(
        view: ViewModel, palette: Palette?, size: @escaping @Sendable () -> (columns: Int, lines: Int),
        clock: @escaping @Sendable () -> MonotonicTime,
        address: @escaping @Sendable () -> FleetAddress? = { nil }
    ) {
        self.view = view
        self.view.handle(address())
        (self.address, self.size, self.clock) = (address, size, clock)
        writer = ScreenWriter(palette: palette)
    }

    mutating func handle(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        // After the filter is cleared, the details of all devices are available.
        view.handle(event)
        guard view.shows(event, of: replica) else { return }
        narration.handle(event, at: now.monotonic, into: &lines)
        log()
    }

    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8]) {
        // Each thread of the pool comes by here within moments: whichever overflows restores the terminal.
        SignalStack.provide()
        narration.tick(at: now.monotonic, into: &lines)
        log()
        guard pace.claim(at: clock()) else { return }
        let (columns, height) = size()
        let layout = view.layout(width: columns, height: height)
        self.layout = layout
        let content = view.content(
            of: replica, rows: layout.tableRows, messages: layout.messageRows, width: layout.width,
            detailsWidth: layout.detailsWidth, at: now)
        output += writer.bytes(for: Screen.lines(of: content, layout: layout, drawn: &drawn))
    }

    mutating func withView<Value>(_ body: (inout ViewModel) -> Value) -> Value? { body(&view) }

    mutating func press(_ key: Key, on replica: Replica, at now: Moment, into viewEffects: inout [ViewEffect])
    {
        pace.hurry()
        if key == .redraw { redraw() }
        let pointed = layout.flatMap { key.intent(in: view.focus, on: $0) }
        guard let intent = pointed ?? key.intent(in: view.focus) else { return }
        // The gateway's address may have changed.
        if intent == .toggleHelp { view.handle(address()) }
        if let viewEffect = view.perform(intent, on: replica, at: now) { viewEffects.append(viewEffect) }
    }

    mutating func drainErrors() -> [EventLine] {
        defer { storedCount = view.messageCount }
        return view.unstoredErrors(from: storedCount)
    }

    mutating func redraw() {
        writer.reset()
        drawn = DrawnRows()
    }

    func wait() -> Duration { pace.wait(at: clock()) }

    mutating func rewind() {
        view.rewind()
        narration = Narration()
        storedCount = 0
    }

    private mutating func log() {
        for line in lines { view.add(line) }
        lines.removeAll(keepingCapacity: true)
    }
}
