import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The environment's `SENSIBUS_SCREEN` is the duration of a full run, in seconds.
    @Suite("The screen of a fleet whose processes are killed")
    struct LastingScreenTests {
        private static let seconds = ProcessInfo.processInfo.environment["SENSIBUS_SCREEN"].flatMap {
            Int($0)
        }

        @Test(
            "equals a fresh drawing at the end, and its log has every error",
            .enabled(if: seconds == nil), .timeLimit(.minutes(3)))
        func small() async throws {
            try await LastingScreen(kills: 1, interval: .zero).run()
        }

        @Test(
            "equals a fresh drawing after many minutes, and its log has every error",
            .enabled(if: seconds != nil))
        func full() async throws {
            let kills = 20
            let interval = Duration.seconds(try #require(Self.seconds)) / (kills * LastingScreen.names.count)
            try await LastingScreen(kills: kills, interval: interval).run()
        }

        @Test(
            "is not corrupt after a worst day under load with five kills, and its log has every error",
            .enabled(if: seconds != nil))
        func loaded() async throws {
            try await LoadedScreen(seconds: try #require(Self.seconds)).run()
        }
    }
}

/// A fleet in a terminal whose processes are killed repeatedly.
private struct LastingScreen {
    /// The observer is not the last one killed, so that its successor draws for a while before the end.
    static let names = ["observer", "gateway", "node-1", "controller"]
    private static let devices = 20
    private static let garbage = "written by another process"

    /// How often each process is killed.
    let kills: Int
    /// The time from one kill to the next, or until the process runs again if that takes longer.
    let interval: Duration

    func run() async throws {
        try await Lab.withLab { lab in
            try await TerminalLab.with(lab) { terminal in
                try await terminal.start(
                    "fleet", "up --devices \(Self.devices) --scenario lively --restart-nodes --gateway-port 0"
                )
                try await showsFleet(terminal)
                let start = ContinuousClock.now
                for number in 1...kills {
                    for name in Self.names { try await kill(name, lab) }
                    print("measured: \(number) kills of each process in \(ContinuousClock.now - start)")
                }
                try await showsFleet(terminal)
                try await followsNewController(terminal)
                try await isFreshlyDrawn(terminal)
                try await hasEveryError(terminal)
                try await stops(terminal)
            }
        }
    }

    private func showsFleet(_ terminal: TerminalLab) async throws {
        try await terminal.shows("the fleet", within: .seconds(30)) {
            $0.first?.contains("of \(Self.devices)") == true
                && TerminalLab.status($0).hasPrefix("● established")
        }
    }

    /// Toggles a device and waits for the change: until the end of a controller is detected, the screen shows
    /// the state before it.
    private func followsNewController(_ terminal: TerminalLab) async throws {
        let lab = terminal.lab
        try await lab.eventually("a device is toggled", within: .seconds(20)) {
            guard let device = try await lab.devices().first(where: { $0.presence == "online" }) else {
                return false
            }
            return try await lab.fleet("toggle", device.id).status == 0
        }
        try await terminal.shows("the change", within: .seconds(30)) { lines in
            lines.contains { $0.contains("by demo@") } && TerminalLab.status(lines).hasPrefix("● established")
        }
    }

    private func kill(_ name: String, _ lab: Lab) async throws {
        let start = ContinuousClock.now
        try await lab.killAndAwaitNext(name)
        let rest = interval - (ContinuousClock.now - start)
        if rest > .zero { await Pace.wait(rest) }
    }

    /// While the screen is paused, it is the same after a change of size, and after Ctrl-L has repaired it.
    ///
    /// The status line is not compared, because it changes even while paused.
    private func isFreshlyDrawn(_ terminal: TerminalLab) async throws {
        try await terminal.press("Space", shows: "a paused screen") {
            TerminalLab.status($0).contains("while paused")
        }
        let before = try await Self.withoutStatus(terminal)
        for columns in [90, 80] {
            try await terminal.resize(columns: columns, lines: 24)
            try await terminal.shows("all \(columns) columns") { lines in
                lines.contains(String(repeating: "─", count: columns))
            }
        }
        try await shows(before, on: terminal, "drawn for another size")
        try await terminal.write("\u{1b}[10;5H\(Self.garbage)")
        try await terminal.shows("the garbage") { $0[9].contains(Self.garbage) }
        try await terminal.press("C-l", shows: "the repaired screen") { !$0[9].contains(Self.garbage) }
        try await shows(before, on: terminal, "drawn by Ctrl-L")
        try await terminal.press("Space", shows: "a screen that continues") {
            !TerminalLab.status($0).contains("while paused")
        }
    }

    /// Waits until the screen, except for the status line, equals the earlier one.
    private func shows(_ before: [String], on terminal: TerminalLab, _ what: String) async throws {
        var different: [[String]] = []
        try await terminal.lab.eventually("the screen is the same, \(what)", within: .seconds(10)) {
            let now = try await Self.withoutStatus(terminal)
            different = zip(before, now).filter { $0 != $1 }.map { [$0, $1] }
            return different.isEmpty
        }
        #expect(different.isEmpty, "before and now: \(different)")
    }

    private static func withoutStatus(_ terminal: TerminalLab) async throws -> [String] {
        try await terminal.styledLines().filter { !$0.contains("● established") }
    }

    /// Reads the log's errors from the first to the last.
    private func hasEveryError(_ terminal: TerminalLab) async throws {
        let errors = try ["supervisor", "observer"].flatMap { name in
            try terminal.lab.text("logs/\(name).log").split(separator: "\n")
                .filter { $0.contains(" error \(name): ") }
                .map { TerminalLab.condensed($0.split(separator: ": ", maxSplits: 1).last ?? "") }
        }
        let text = try await terminal.errorLog().map(TerminalLab.condensed).joined()
        print("measured: \(errors.count) errors, \(kills * Self.names.count) of them kills")
        #expect(errors.count >= kills * Self.names.count)
        for error in Set(errors) {
            let (expected, found) = (errors.count { $0 == error }, text.ranges(of: error).count)
            #expect(found >= expected, "\(error): \(found) of \(expected)")
        }
        for name in Self.names {
            let killed = TerminalLab.condensed("\(name) was ended by signal 9 (kill)")
            #expect(text.ranges(of: killed).count >= kills, "\(name)")
        }
        try await terminal.press("Escape")
    }

    /// `q` asks first, and stops the fleet when it is pressed again.
    private func stops(_ terminal: TerminalLab) async throws {
        for (key, isAsking) in [("q", true), ("n", false), ("q", true)] {
            try await terminal.press(key, shows: isAsking ? "a question" : "the fleet") {
                $0[0].hasPrefix("q again: stop the fleet") == isAsking
            }
        }
        try await terminal.quit(by: "q")
    }
}
