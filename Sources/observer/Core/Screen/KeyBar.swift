import UserText

/// The line at the bottom: the keys that have an effect now, the most important first, as many as fit.
enum KeyBar {
    /// A key with its effect, in one or two words.
    private struct Entry {
        let key: String
        let effect: String

        init(_ key: String, _ effect: String) { (self.key, self.effect) = (key, effect) }

        var width: Int { DisplayWidth.of(key) + 1 + DisplayWidth.of(effect) }
    }

    private static let always = [Entry("?", "keys"), Entry("q", "quit")]

    /// Returns the keys for a focus.
    ///
    /// - Parameter isLogAlone: Whether the log is shown without the devices.
    static func line(of focus: ViewFocus, isLogAlone: Bool, width: Int) -> ScreenLine {
        let isCommand = !focus.isTyping && focus != .replacing && focus != .stopping
        let fixed = isCommand ? always : []
        var room = width - fixed.reduce(0) { $0 + $1.width + 2 }
        var shown: [Entry] = []
        for entry in entries(of: focus, isLogAlone: isLogAlone) {
            room -= entry.width + 2
            guard room >= 0 else { break }
            shown.append(entry)
        }
        var line = ScreenLine()
        for entry in shown + fixed {
            if line.width > 0 { line.append("  ") }
            line.append(entry.key, .bold)
            line.append(" \(entry.effect)", .dim)
        }
        return line
    }

    private static func entries(of focus: ViewFocus, isLogAlone: Bool) -> [Entry] {
        switch focus {
        case .table:
            [
                Entry("Tab", "log"), Entry("enter", "details"), Entry("/", "filter"), Entry("t", "toggle"),
                Entry("s", "sort"), Entry("S", "reverse"), Entry("f", "faults"), Entry("space", "pause"),
                Entry("!", "errors"), Entry("l", "whole log"), Entry("c", "cancel"), Entry("e", "export"),
                Entry("d", "roster"), Entry("p", "pane"), Entry("b", "group"), Entry("C", "columns"),
                Entry("g G", "first, last"),
            ]
        case .details:
            [
                Entry("esc", "back"), Entry("↑ ↓", "device"), Entry("PgUp PgDn", "scroll"),
                Entry("t", "toggle"), Entry("c", "cancel"), Entry("Tab", "devices"), Entry("l", "log"),
                Entry("!", "errors"), Entry("space", "pause"), Entry("p", "pane"),
            ]
        case .log:
            [
                Entry("esc", "back"), Entry("↑ ↓", "scroll"), Entry("/", "filter"), Entry("!", "errors"),
                Entry("g G", "first, last"), Entry("enter", isLogAlone ? "back" : "alone"),
                Entry("Tab", "details"), Entry("space", "pause"),
            ]
        case .help, .roster:
            [Entry("esc", "back"), Entry("↑ ↓ PgUp PgDn", "scroll"), Entry("r", "reload roster")]
        case .columns: [Entry("esc", "back"), Entry("↑ ↓", "column"), Entry("space", "hide or show")]
        case .filter, .logFilter: [Entry("enter", "keep the filter"), Entry("esc", "clear it")]
        case .fileName: [Entry("enter", "export"), Entry("esc", "cancel")]
        case .replacing: [Entry("y", "replace"), Entry("n", "keep the file")]
        case .stopping: [Entry("q", "stop the fleet"), Entry("esc", "continue")]
        }
    }
}
