import ObserverCore
import Stepping

/// Shows a table on a terminal, with messages and a status below.
struct LivePresenter: Presenter {
    private var view: ViewModel
    private var writer: ScreenWriter
    private let size: @Sendable () -> (columns: Int, lines: Int)
    private var parser = KeyParser()
    private var narration = Narration()
    private var lines: [EventLine] = []

    init(view: ViewModel, usesColor: Bool, size: @escaping @Sendable () -> (columns: Int, lines: Int)) {
        self.view = view
        self.size = size
        writer = ScreenWriter(usesColor: usesColor)
    }

    mutating func take(
        _ event: ObserverEvent, of replica: Replica, at now: Moment, into output: inout [UInt8]
    ) {
        narration.take(event, at: now.monotonic, into: &lines)
        log()
    }

    mutating func turn(_ replica: Replica, at now: Moment, into output: inout [UInt8]) {
        narration.tick(at: now.monotonic, into: &lines)
        log()
        let (columns, height) = size()
        let layout = ScreenLayout(width: columns, height: height)
        let content = view.content(
            of: replica, rows: layout.tableRows, messages: layout.messageRows, at: now)
        output += writer.bytes(for: Screen.lines(of: content, layout: layout))
    }

    mutating func press(_ bytes: [UInt8], on replica: Replica, at now: Moment) -> Bool {
        for key in parser.keys(of: bytes) {
            guard let intent = key.intent(isTyping: view.isTyping) else { continue }
            if intent == .quit { return true }
            view.perform(intent, on: replica, at: now)
        }
        return false
    }

    mutating func rewind() {
        view.rewind()
        narration = Narration()
    }

    private mutating func log() {
        for line in lines { view.add(line) }
        lines.removeAll(keepingCapacity: true)
    }
}
