import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The contents of the observer's screen, and the terminal after it.
    @Suite("The observer's screen", .timeLimit(.minutes(2)))
    struct ScreenTests {
        @Test(
            "the observer restores the terminal after every signal",
            arguments: [
                SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM,
                SIGIO, SIGPROF, SIGPWR, SIGSTKFLT, SIGSYS, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
                __libc_current_sigrtmin(), __libc_current_sigrtmax(),
            ])
        func restored(signal: Int32) async throws {
            try await Self.withoutFleet { terminal in
                try await terminal.expectDrawn()
                kill(try await terminal.processID(), signal)
                try await terminal.shows("the shell again") { $0.contains("done") }
                try await terminal.expectRestored()
            }
        }

        /// Starts an observer in a run directory without a fleet.
        private static func withoutFleet(_ body: (TerminalLab) async throws -> Void) async throws {
            try await Lab.withLab { lab in
                try await TerminalLab.with(lab) { terminal in
                    _ = mkdir(lab.runDirectory, 0o700)
                    try await terminal.startObserver()
                    try await terminal.shows("the observer") { $0[0].hasPrefix("Sensibus") }
                    try await body(terminal)
                }
            }
        }

        private static func withFleet(
            devices: Int, _ body: (Lab, TerminalLab) async throws -> Void
        ) async throws {
            try await Lab.withFleet(devices: devices) { lab in
                try await TerminalLab.with(lab) { try await body(lab, $0) }
            }
        }

        @Test("Ctrl-Z restores the terminal and stops the observer, which draws again when it is continued")
        func suspended() async throws {
            try await Self.withoutFleet { terminal in
                for round in 1...2 {
                    try await terminal.press("C-z", shows: "the shell, \(round)") {
                        $0.last { !$0.isEmpty } == "$"
                    }
                    try await terminal.expectRestored()
                    try await terminal.type("clear; fg")
                    try await terminal.press("Enter", shows: "the observer again, \(round)") {
                        $0[0].hasPrefix("Sensibus") && $0[23].hasSuffix("? keys  q quit")
                    }
                    try await terminal.expectDrawn()
                }
                try await terminal.press("q", shows: "the shell at the end") {
                    $0.last { !$0.isEmpty } == "$"
                }
                try await terminal.expectRestored()
            }
        }

        @Test("the screen fits every terminal size, also after changes of the size")
        func sizes() async throws {
            try await Self.withFleet(devices: 60) { _, terminal in
                try await terminal.startObserver()
                for (columns, lines, rows, place, last) in [
                    (80, 24, 14, "by slot  1–14 of 60", "trend"),
                    (200, 50, 34, "by slot  1–34 of 60", "│ details"),
                    (40, 10, 4, "1–4 of 60  ? keys", "room"),
                    (80, 24, 14, "by slot  1–14 of 60", "trend"),
                ] {
                    try await terminal.resize(columns: columns, lines: lines)
                    try await terminal.shows("\(rows) rows at \(columns) by \(lines)") { screen in
                        screen.count == lines
                            && screen[0] == "Sensibus demo  \(place)"
                            && screen[1].hasPrefix("name ") && screen[1].hasSuffix(last)
                            && screen[2..<2 + rows].allSatisfy { $0.contains(" online ") }
                            && screen[2 + rows] == String(repeating: "─", count: columns)
                            && TerminalLab.status(screen).hasPrefix("● established  60/60 online")
                    }
                }
            }
        }

        @Test("table and log show the filter that the observer was started with, until it is cleared")
        func filtered() async throws {
            try await Self.withFleet(devices: 20) { lab, terminal in
                try await terminal.startObserver("--filter 'device \"Kitchen 1\"'")
                try await terminal.shows("the device") {
                    $0[0].contains("  1–1 of 1") && $0[2].hasPrefix("Kitchen 1 ")
                }
                // The toggle that is shown comes after the one that is not.
                for name in ["Kitchen 2", "Kitchen 1"] { try await lab.succeed("toggle", name) }
                try await terminal.shows("the filtered device's toggle only") { lines in
                    lines.contains { $0.contains("Kitchen 1: toggled ") }
                        && !lines.contains { $0.contains("Kitchen 2") }
                }
                try await terminal.press("Escape", shows: "all devices") { $0[0].contains(" of 20") }
                try await lab.succeed("toggle", "Kitchen 2")
                try await terminal.shows("another device's toggle") { lines in
                    lines.contains { $0.contains("Kitchen 2: toggled ") }
                }
                try await terminal.quit(by: "q")

                try await terminal.startObserver("--filter 'power on or power off'")
                try await terminal.shows("the condition and the matching devices") {
                    $0[0] == "Sensibus demo  where power on or power off  by slot  1–14 of 20"
                }
                try await terminal.resize(columns: 40, lines: 10)
                try await terminal.shows("the part of the condition that fits") {
                    $0[0] == "Sensibus demo  where power o…  1–4 of 20" && $0[9].hasPrefix("● established")
                }
                try await terminal.press("Escape", shows: "that the filter is cleared") {
                    $0[0] == "Sensibus demo  1–4 of 20  ? keys"
                }
            }
        }

        @Test("the screen shows what to do without a session, and greys the last state without a controller")
        func disconnected() async throws {
            try await Self.withFleet(devices: 20) { lab, terminal in
                let password = try lab.text("demo-password")
                try await lab.succeed("logout", "--everywhere")
                try await terminal.startObserver()
                try await terminal.shows("that nobody is logged in") {
                    $0[2] == "You are not logged in." && $0[3].contains("`fleet login`")
                }
                try await terminal.quit(by: "C-c")

                try await lab.logIn(Lab.demo, password: password)
                try await terminal.startObserver()
                try await terminal.shows("the table") {
                    $0[0].contains("1–14 of 20") && TerminalLab.status($0).contains("20/20 online")
                }
                let name = try await terminal.lines()[2].split(separator: "  ").first
                try await lab.succeed("down")
                try await terminal.shows("that the state is stale, and its age") {
                    TerminalLab.status($0).contains("stale ")
                        && !TerminalLab.status($0).contains("established")
                }
                let row = try await terminal.styledLines()[2]
                #expect(row.contains(try #require(name)))
                #expect(row.contains(/\u{1b}\[(0;)?2[;m]/), "dimmed: \(row)")
                try await terminal.press("t", shows: "why nothing can be toggled") {
                    $0[0].hasPrefix("cannot toggle: no connection to the controller")
                }
                try await terminal.quit(by: "q")

                try await terminal.startObserver()
                try await terminal.shows("that there is no controller") {
                    $0[2] == "Looking for the controller." && $0[3].contains("`fleet up`")
                }
            }
        }
    }
}
