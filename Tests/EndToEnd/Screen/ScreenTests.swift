import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The contents of the observer's screen, and the terminal after it.
    @Suite("The observer's screen")
    struct ScreenTests {
        @Test(
            "the observer restores the terminal after every signal", .timeLimit(.minutes(2)),
            arguments: [
                SIGTERM, SIGHUP, SIGINT, SIGQUIT, SIGSEGV, SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGTRAP, SIGALRM,
                SIGIO, SIGPROF, SIGPWR, SIGSTKFLT, SIGSYS, SIGUSR1, SIGUSR2, SIGVTALRM, SIGXCPU, SIGXFSZ,
                __libc_current_sigrtmin(), __libc_current_sigrtmax(),
            ])
        func restored(signal: Int32) async throws {
            try await Lab.withLab { lab in
                try await TerminalLab.with(lab) { terminal in
                    _ = mkdir("\(lab.directory)/.sensibus", 0o700)
                    try await terminal.startObserver()
                    try await terminal.shows("the observer") { $0[0].hasPrefix("Sensibus") }
                    let during = try await terminal.modes()
                    #expect(during == (isAlternate: true, hasCursor: false))
                    kill(try await terminal.processID(), signal)
                    try await terminal.shows("the shell again") { $0.contains("done") }
                    let after = try await terminal.modes()
                    #expect(after == (isAlternate: false, hasCursor: true))
                    #expect(try terminal.isAsBefore())
                }
            }
        }

        @Test(
            "Ctrl-Z restores the terminal and stops the observer, which draws again when it is continued",
            .timeLimit(.minutes(2)))
        func suspended() async throws {
            try await Lab.withLab { lab in
                try await TerminalLab.with(lab) { terminal in
                    _ = mkdir("\(lab.directory)/.sensibus", 0o700)
                    try await terminal.startObserver()
                    try await terminal.shows("the observer") { $0[0].hasPrefix("Sensibus") }
                    for round in 1...2 {
                        try await terminal.press("C-z")
                        try await terminal.shows("the shell, \(round)") { $0.last { !$0.isEmpty } == "$" }
                        #expect(try await terminal.modes() == (isAlternate: false, hasCursor: true))
                        #expect(try terminal.isAsBefore())
                        try await terminal.type("clear; fg")
                        try await terminal.press("Enter")
                        try await terminal.shows("the observer again, \(round)") {
                            $0[0].hasPrefix("Sensibus") && $0[23].hasSuffix("? keys  q quit")
                        }
                        #expect(try await terminal.modes() == (isAlternate: true, hasCursor: false))
                    }
                    try await terminal.press("q")
                    try await terminal.shows("the shell at the end") { $0.last { !$0.isEmpty } == "$" }
                    #expect(try await terminal.modes() == (isAlternate: false, hasCursor: true))
                }
            }
        }

        @Test("the screen fits every terminal size, also after changes of the size", .timeLimit(.minutes(2)))
        func sizes() async throws {
            try await Lab.withFleet(devices: 60) { lab in
                try await TerminalLab.with(lab) { terminal in
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
        }

        @Test(
            "the screen shows the filter that the observer was started with, in every size",
            .timeLimit(.minutes(2)))
        func condition() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.startObserver("--filter 'power on or power off'")
                    try await terminal.shows("the condition and the matching devices") {
                        $0[0] == "Sensibus demo  where power on or power off  by slot  1–14 of 20"
                    }
                    try await terminal.resize(columns: 40, lines: 10)
                    try await terminal.shows("the part of the condition that fits") {
                        $0[0] == "Sensibus demo  where power o…  1–4 of 20"
                            && $0[9].hasPrefix("● established")
                    }
                    try await terminal.press("Escape")
                    try await terminal.shows("that the filter is cleared") {
                        $0[0] == "Sensibus demo  1–4 of 20  ? keys"
                    }
                }
            }
        }

        @Test(
            "the log below the table shows filtered devices only, until the filter is cleared",
            .timeLimit(.minutes(2)))
        func filteredLog() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.startObserver("--filter 'device \"Kitchen 1\"'")
                    try await terminal.shows("the device") {
                        $0[0].contains("  1–1 of 1") && $0[2].hasPrefix("Kitchen 1 ")
                    }
                    // The toggle that is shown comes after the one that is not.
                    for name in ["Kitchen 2", "Kitchen 1"] {
                        let toggle = try await lab.fleet("toggle", name)
                        try #require(toggle.status == 0, "\(toggle.talk)")
                    }
                    try await terminal.shows("the filtered device's toggle only") { lines in
                        lines.contains { $0.contains("Kitchen 1: toggled ") }
                            && !lines.contains { $0.contains("Kitchen 2") }
                    }
                    try await terminal.press("Escape")
                    try await terminal.shows("all devices") { $0[0].contains(" of 20") }
                    let toggle = try await lab.fleet("toggle", "Kitchen 2")
                    try #require(toggle.status == 0, "\(toggle.talk)")
                    try await terminal.shows("another device's toggle") { lines in
                        lines.contains { $0.contains("Kitchen 2: toggled ") }
                    }
                }
            }
        }

        @Test(
            "without a controller the screen greys the last known state and offers no toggle",
            .timeLimit(.minutes(2)))
        func disconnected() async throws {
            try await Lab.withFleet(devices: 20) { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.startObserver()
                    try await terminal.shows("the table") {
                        $0[0].contains("1–14 of 20") && TerminalLab.status($0).contains("20/20 online")
                    }
                    let name = try await terminal.lines()[2].split(separator: "  ").first
                    let down = try await lab.fleet("down")
                    try #require(down.status == 0, "\(down.talk)")
                    try await terminal.shows("that the state is stale, and its age") {
                        TerminalLab.status($0).contains("stale ")
                            && !TerminalLab.status($0).contains("established")
                    }
                    let row = try await terminal.styledLines()[2]
                    #expect(row.contains(try #require(name)))
                    #expect(row.contains(/\u{1b}\[(0;)?2[;m]/), "dimmed: \(row)")
                    try await terminal.press("t")
                    try await terminal.shows("why nothing can be toggled") {
                        $0[0].hasPrefix("cannot toggle: no connection to the controller")
                    }
                }
            }
        }

        @Test(
            "the screen shows what to do without a fleet and without a session", .timeLimit(.minutes(2)))
        func firstScreens() async throws {
            try await Lab.withFleet(devices: 5) { lab in
                try await TerminalLab.with(lab) { terminal in
                    let ended = try await lab.fleet("logout", "--everywhere")
                    try #require(ended.status == 0, "\(ended.talk)")
                    try await terminal.startObserver()
                    try await terminal.shows("that nobody is logged in") {
                        $0[2] == "You are not logged in." && $0[3].contains("`fleet login`")
                    }
                    try await terminal.press("C-c")
                    try await terminal.shows("the shell again") {
                        $0.contains("ended 0") && $0.contains("done")
                    }
                    _ = try await lab.fleet("down")
                    try await terminal.startObserver()
                    try await terminal.shows("that there is no controller") {
                        $0[2] == "Looking for the controller." && $0[3].contains("`fleet up`")
                    }
                }
            }
        }
    }
}
