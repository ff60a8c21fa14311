import Foundation
import Testing

extension EndToEnd {
    /// Each key of the observer, pressed in a terminal.
    @Suite("Keys of the observer's screen", .timeLimit(.minutes(2)))
    struct ScreenKeyTests {
        private static let title = "Sensibus demo"

        /// The name in a line of the table.
        private static func name(_ line: String) -> String {
            line.split(separator: "  ").first.map(String.init) ?? ""
        }

        private static func withObserver(
            devices: Int = 60, _ body: (TerminalLab) async throws -> Void
        ) async throws {
            try await Lab.withFleet(devices: devices) { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.startObserver()
                    try await terminal.shows("the table") {
                        $0[0].hasPrefix("\(title)  by slot  1–14 of \(devices)")
                            && TerminalLab.status($0).contains("\(devices)/\(devices) online")
                    }
                    try await body(terminal)
                }
            }
        }

        @Test("movement keys move the selection and scroll the table")
        func movement() async throws {
            try await Self.withObserver { terminal in
                for (key, first) in [
                    ("End", "47–60"), ("Home", "1–14"), ("PageDown", "2–15"), ("PageUp", "1–14"),
                ] {
                    try await terminal.press(key)
                    try await terminal.shows("rows \(first) after \(key)") {
                        $0[0].contains(" \(first) of 60")
                    }
                }
                let names = try await terminal.lines()[2..<6].map(Self.name)
                for (key, row) in [("j", 1), ("Down", 2), ("j", 3), ("k", 2), ("Up", 1)] {
                    try await terminal.press(key)
                    try await terminal.press("Enter", shows: "the details of \(names[row]) after \(key)") {
                        $0[1] == "details" && $0[2] == names[row]
                    }
                    try await terminal.press("Escape", shows: "the table") { $0[0].contains("1–14 of 60") }
                }
            }
        }

        @Test("keys filter, sort, show faults only, pause, and show the help")
        func table() async throws {
            try await Self.withObserver { terminal in
                try await terminal.press("/")
                try await terminal.type("kitchen 1")
                try await terminal.shows("the typed text and the matching devices") {
                    $0[0].contains("/kitchen 1▏") && $0[2].hasPrefix("Kitchen 1 ")
                }
                try await terminal.press("BSpace", "BSpace", "Enter", shows: "the filter that stays") {
                    $0[0].hasPrefix("\(Self.title)  /kitchen  by slot") && $0[2].hasPrefix("Kitchen 1 ")
                        && $0[3].hasPrefix("Kitchen 2 ")
                }
                try await terminal.press("Escape", shows: "all devices") { $0[0].contains("1–14 of 60") }
                for sort in ["name", "state", "presence", "change", "version", "room", "slot"] {
                    try await terminal.press("s", shows: "the order by \(sort)") {
                        $0[0].contains("  by \(sort)  ")
                    }
                }
                try await terminal.press("s", "S", shows: "the reversed order, with a mark") {
                    $0[0].contains("  by name, reversed  ") && $0[1].hasPrefix("name▼")
                }
                try await terminal.press("s", "s", "s", "s", "s", "s", "Home", shows: "the first order") {
                    $0[0].contains("  by slot  1–14 of 60")
                }
                try await terminal.press("f", shows: "that no device has a fault") {
                    $0[0].contains("faults only") && $0[2] == "no faults: every device is online"
                }
                _ = try await terminal.lab.fleet("inject", "offline", "Kitchen 1", "--for", "60s")
                try await terminal.shows("the fault") {
                    $0[2].hasPrefix("Kitchen 1 ") && $0[2].contains("no link")
                }
                try await terminal.press("f", "Space", shows: "that it is paused") {
                    TerminalLab.status($0).contains("paused, +0 while paused")
                }
                _ = try await terminal.lab.fleet("toggle", "Kitchen 2")
                try await terminal.shows("the changes during the pause") {
                    TerminalLab.status($0).contains("while paused") && !TerminalLab.status($0).contains("+0")
                }
                try await terminal.press("Space", "Tab", "/")
                try await terminal.type("kitchen 2")
                try await terminal.shows("the filtered log below the devices") { lines in
                    lines[0].contains("  by slot  ")
                        && lines.contains { $0.hasPrefix("── log  /kitchen 2▏  1–1 of 1 ─") }
                }
                try await terminal.press("Enter", "Escape", "?", shows: "the command for a login") {
                    $0[1] == "keys" && $0.contains("email            demo@sensibus.local")
                }
                try await terminal.press("End", shows: "the last keys") {
                    $0.contains("q, Ctrl-C        quit")
                }
                try await terminal.quit(by: "?", "q")
            }
        }

        @Test("keys toggle the selected device, show the expected state, and cancel the toggle")
        func commands() async throws {
            try await Self.withObserver { terminal in
                let first = try await terminal.lines()[2]
                let name = Self.name(first)
                let isOn = first.contains(" on ")
                let (now, then) = isOn ? ("off", "on") : ("on", "off")
                try await terminal.press("t", shows: "\(name) at \(now), with the user") { lines in
                    lines[2].contains(" \(now) ")
                        && lines.contains { $0.contains("\(name): toggled \(now) by demo@sensibus.local") }
                }
                _ = try await terminal.lab.fleet("inject", "hang", name, "--for", "60s")
                try await terminal.press("t", shows: "what is expected") {
                    $0[2].contains("→ \(then)") && TerminalLab.status($0).contains("1 pending")
                }
                try await terminal.press("t", shows: "that one is on its way") {
                    $0[0].hasPrefix("\(name) has a pending toggle")
                }
                try await terminal.press("c", shows: "that it is taken back") {
                    $0[0] == "\(name): cancelled in time" && $0[2].contains(" \(now) ")
                }
                try await terminal.press("c", shows: "that nothing is left to take back") {
                    $0[0] == "\(name) has no pending toggle of yours"
                }
            }
        }

        @Test("the export key writes the devices in the table, and asks before it replaces a file")
        func export() async throws {
            try await Self.withObserver { terminal in
                let lab = terminal.lab
                try await terminal.press("e", shows: "a file name to confirm") {
                    $0[0] == "export 60 devices to: devices.csv▏"
                }
                try await terminal.press("Enter", shows: "that the file is written") {
                    $0[0] == "60 devices written to devices.csv"
                }
                let written = try lab.read("devices.csv")
                #expect(written.split(separator: "\r\n").count == 61)
                try lab.write("mine", to: "devices.csv")
                for (answer, content) in [("n", "mine"), ("y", written)] {
                    try await terminal.press("e", "Enter", shows: "a question") {
                        $0[0].hasPrefix("devices.csv already exists: replace it? y n")
                    }
                    try await terminal.press(answer)
                    try await terminal.shows("no question") { !$0[0].contains("replace it?") }
                    if answer == "y" {
                        try await terminal.shows("that the file is written") {
                            $0[0].hasPrefix("60 devices written")
                        }
                    }
                    #expect(try lab.read("devices.csv").prefix(20) == content.prefix(20))
                }
                try await terminal.press("e")
                try await terminal.press("BSpace", "BSpace", "BSpace")
                try await terminal.type("ndjson")
                try await terminal.press("Enter", shows: "that the file is written") {
                    $0[0] == "60 devices written to devices.ndjson"
                }
                let devices = try lab.read("devices.ndjson").split(separator: "\n").map {
                    try JSONDecoder().decode(DeviceLine.self, from: Data($0.utf8))
                }
                #expect(devices.count == 60)
            }
        }
    }
}
