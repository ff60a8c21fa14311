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

    /// Returns the keys for a focus; the log may be shown without the devices.
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

enum HelpText {
    private static let moving = [
        "↑ ↓ j k          move the selection",
        "PgUp PgDn        one screen up, down",
    ]
    private static let jumping = ["Home End g G     first device, last device"]
    private static let playing = [
        "← →              10 s back, 10 s forward",
        "Home End         start, end of the recording",
    ]
    private static let looking = [
        "/                filter by name, ID, site:…",
        "                 or temperature > 26",
        "                 enter keeps, esc clears",
        "s S              next sort order, reverse",
        "b                group by site, node; not",
        "C                choose the columns",
        "Tab Shift-Tab    devices, log, details",
        "f                faults only",
        "space            pause, continue",
        "enter            details; esc back",
        "p                details beside the table",
        "e                export as CSV, NDJSON",
        "d                duty roster",
        "r                reload the roster",
        "l                message log alone",
        "                 ↑ ↓ PgUp PgDn scroll it",
        "                 / filters it",
        "!                errors only",
    ]
    private static let commanding = [
        "t                toggle the device",
        "c                cancel pending toggle",
    ]
    private static let pointing = [
        "click            select; heading: sort",
        "wheel            scroll",
        "shift            select text",
    ]
    private static let leaving = [
        "?                hide this help",
        "Ctrl-L           draw the screen again",
        "Ctrl-Z           suspend; fg continues",
        "q, Ctrl-C        quit",
    ]
    private static let columns = [
        "→ on  a toggle to on is pending",
        "change  time since the last report",
        "room  last measured temperature",
        "trend  last measured temperatures",
    ]

    /// Returns the address of the fleet and the keys; keys without effect are dimmed, with the reason. An
    /// obstacle is why devices cannot be toggled. In a replay some keys move the time.
    static func lines(obstacle: String?, isReplay: Bool, address: FleetAddress?) -> [ScreenLine] {
        var lines = address?.lines ?? []
        lines += (moving + (isReplay ? playing : jumping) + looking).map { ScreenLine($0) }
        lines += commanding.map { ScreenLine($0, obstacle == nil ? .plain : .dim) }
        if let obstacle { lines.append(ScreenLine("  \(obstacle)", .colored(.yellow))) }
        lines += pointing.map { ScreenLine($0) }
        lines += leaving.map { ScreenLine($0) }
        return lines + [ScreenLine()] + columns.map { ScreenLine($0, .dim) }
    }
}

/// The address of a local fleet's page, and the account to log in with.
struct FleetAddress: Sendable, Equatable {
    /// The URL of the page, sanitized; nil without a gateway.
    let page: String?
    /// The email of the demo account, sanitized.
    let email: String
    /// Its password, sanitized; nil if it cannot be read.
    let password: String?
    let runDirectory: String

    /// The address of those values; files of the run directory contain them, so they are sanitized here.
    init(page: String?, email: String, password: String?, runDirectory: String) {
        self.page = page.map { SafeText.of($0) }
        self.email = SafeText.of(email)
        self.password = password.map { SafeText.of($0) }
        self.runDirectory = SafeText.of(runDirectory)
    }

    /// The lines above the keys, followed by an empty one.
    var lines: [ScreenLine] {
        let rows = [("page", page), ("email", password.map { _ in email }), ("password", password)]
        let shown = (rows + [("run dir", runDirectory)]).compactMap { name, value in
            value.map { ScreenLine(name + String(repeating: " ", count: 17 - name.count) + $0) }
        }
        return shown + [ScreenLine()]
    }
}
