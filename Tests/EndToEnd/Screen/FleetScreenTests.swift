import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The observer that a fleet shows, from its start to the fleet's end.
    @Suite("The screen of a fleet", .timeLimit(.minutes(2)))
    struct FleetScreenTests {
        private static func observer(_ lab: Lab) async throws -> Int32? {
            let status = try await lab.status()
            return status.processes.first { $0.name == "observer" }?.pid
        }

        /// Waits for the table of all five devices.
        private static func showsTable(_ terminal: TerminalLab) async throws {
            try await terminal.shows("the table", within: .seconds(20)) {
                $0[0].contains("  1–5 of 5") && TerminalLab.status($0).contains("5/5 online")
            }
        }

        @Test(
            "the screen returns after its observer was killed, and the terminal is restored after the fleet")
        func killed() async throws {
            try await Lab.withLab { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.start("fleet", "up --devices 5 --no-gateway")
                    try await Self.showsTable(terminal)
                    let first = try #require(try await Self.observer(lab))
                    kill(first, SIGKILL)
                    try await lab.eventually("another observer runs", within: .seconds(10)) {
                        let second = try await Self.observer(lab)
                        return second != nil && second != first
                    }
                    try await Self.showsTable(terminal)
                    try await terminal.expectDrawn()
                    try await terminal.shows("that the observer was killed") { lines in
                        lines.contains { $0.contains("! ") && $0.contains("observer was ended by signal 9") }
                    }
                    try await terminal.press("q", shows: "a question") {
                        $0[0].hasPrefix("q again: stop the fleet")
                    }
                    try await terminal.quit(by: "q")
                }
            }
        }

        @Test("the terminal is usable after the fleet's observer was killed last")
        func killedLast() async throws {
            try await Lab.withLab { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.start("fleet", "up --devices 5 --no-gateway")
                    try await Self.showsTable(terminal)
                    // A stopped observer cannot restore the terminal.
                    kill(try #require(try await Self.observer(lab)), SIGSTOP)
                    try await lab.succeed("down")
                    try await terminal.shows("the shell again") { $0.contains("done") }
                    try await terminal.expectRestored()
                }
            }
        }
    }
}
