import FleetProtocol
import FleetReplica
import ReplicaTestSupport
import Testing

@testable import observer

/// A view whose keys are pressed and whose screen is read.
final class ScreenReader {
    var view: ViewModel
    var driver: ReplicaDriver
    /// The size of the screen.
    var (width, height) = (160, 40)

    /// A view of a member of the account on a replica.
    init(_ driver: ReplicaDriver) throws {
        view = try Fixture.view()
        self.driver = driver
    }

    /// Draws the screen, and presses keys on it one by one.
    func press(_ keys: Key...) {
        for key in keys {
            _ = lines()
            if let intent = key.intent(in: view.focus) { Fixture.press(intent, &view, driver) }
        }
    }

    /// Types characters.
    func type(_ text: String) { for character in text { press(.character(character)) } }

    /// Whether the view wants the newest posts now.
    func wantsPosts(at now: MonotonicTime) -> Bool { view.wantsPosts(at: now) }

    /// The layout of the current screen.
    var layout: ScreenLayout { view.layout(width: width, height: height) }

    /// The lines of the screen, each as wide as the screen.
    func screen() -> [ScreenLine] {
        let layout = layout
        let content = view.content(
            of: driver.replica, rows: layout.tableRows, messages: layout.messageRows, width: layout.width,
            detailsWidth: layout.detailsWidth, at: driver.now)
        let lines = Screen.lines(of: content, layout: layout)
        #expect(lines.count == height && lines.allSatisfy { $0.width == width }, "\(width) by \(height)")
        return lines
    }

    /// The text of the lines, without blanks at their ends.
    func lines() -> [String] { screen().map { Self.trimmed($0.text) } }

    /// The parts of the lines left and right of the edge between the table and the details.
    func panes() -> [(table: String, details: String)] {
        lines().compactMap { line in
            let parts = line.split(separator: "│", maxSplits: 1, omittingEmptySubsequences: false)
            guard parts.count == 2 else { return nil }
            return (Self.trimmed(String(parts[0])), String(parts[1].dropFirst()))
        }
    }

    private static func trimmed(_ text: String) -> String {
        var text = text
        while text.last == " " { text.removeLast() }
        return text
    }
}
