import FleetProtocol
import ReplicaTestSupport
import Testing

@testable import observer

/// A view whose keys are pressed and whose screen is read.
final class ScreenReader {
    var view: ViewModel
    var driver: ReplicaDriver
    /// The size of the screen.
    var (width, height): (Int, Int)

    /// A view on a replica, of a member of the account unless given.
    init(_ driver: ReplicaDriver, view: ViewModel? = nil, width: Int = 160, height: Int = 40) throws {
        self.view = try view ?? Fixture.view()
        self.driver = driver
        (self.width, self.height) = (width, height)
    }

    /// Carries out intents one by one, and returns the effect of the last one.
    @discardableResult
    func perform(_ intents: ViewIntent...) -> ViewEffect? {
        var effect: ViewEffect?
        for intent in intents { effect = view.perform(intent, on: driver.replica, at: driver.now) }
        return effect
    }

    /// Draws the screen, presses keys or the mouse on it one by one, and returns the effect of the last one.
    @discardableResult
    func press(_ keys: Key...) -> ViewEffect? {
        var effect: ViewEffect?
        for key in keys {
            _ = lines()
            let intent = key.intent(in: view.focus, on: layout) ?? key.intent(in: view.focus)
            effect = intent.flatMap { perform($0) }
        }
        return effect
    }

    /// Types characters.
    func type(_ text: String) { for character in text { press(.character(character)) } }

    func handle(_ result: ViewResult) { view.handle(result, on: driver.replica, at: driver.now) }

    /// Adds a message.
    func add(_ text: String, tone: EventLine.Tone = .neutral, after wait: Duration = .zero) {
        view.add(EventLine(at: driver.now.wall.advanced(by: wait), tone: tone, text: text))
    }

    func wantsPosts(at now: MonotonicTime) -> Bool { view.wantsPosts(at: now) }
    func wantsRoster(at now: MonotonicTime) -> Bool { view.wantsRoster(at: now) }

    /// The content of the screen, with another number of rows if given.
    func content(rows: Int? = nil, after wait: Duration = .zero) -> ScreenContent {
        let layout = layout
        return view.content(
            of: driver.replica, rows: rows ?? layout.tableRows, messages: layout.messageRows,
            width: layout.width, detailsWidth: layout.detailsWidth, at: driver.now.advanced(by: wait))
    }

    /// The hint on the screen.
    var hint: String? { content().hint?.text }

    /// The layout of the current screen.
    var layout: ScreenLayout { view.layout(width: width, height: height) }

    /// The lines of the screen, which are as many and as wide as expected; from now on of that size if given.
    func screen(_ width: Int? = nil, _ height: Int? = nil) -> [ScreenLine] {
        (self.width, self.height) = (width ?? self.width, height ?? self.height)
        let lines = Screen.lines(of: content(), layout: layout)
        #expect(
            lines.count == self.height && lines.allSatisfy { $0.width == self.width },
            "\(self.width) by \(self.height)")
        return lines
    }

    /// The text of the lines, without blanks at their ends.
    func lines(_ width: Int? = nil, _ height: Int? = nil) -> [String] {
        screen(width, height).map(\.trimmed)
    }

    /// The parts of the lines left and right of the edge between the table and the details.
    func panes() -> [(table: String, details: String)] {
        lines().compactMap { line in
            let parts = line.split(separator: "│", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            return (ScreenLine(String(parts[0])).trimmed, String(parts[1].dropFirst()))
        }
    }
}

extension ScreenLine {
    /// The text without blanks at its end.
    var trimmed: String { String(text.reversed().drop { $0 == " " }.reversed()) }
}
