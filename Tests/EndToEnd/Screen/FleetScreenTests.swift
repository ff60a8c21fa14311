import Foundation
import Glibc
import TestSupport
import Testing

extension EndToEnd {
    /// The observer that a fleet shows, from its start to the fleet's end.
    @Suite("The screen of a fleet")
    struct FleetScreenTests {
        private static func observer(_ lab: Lab) async throws -> Int32? {
            let status = try await lab.status()
            return status.processes.first { $0.name == "observer" }?.pid
        }

        @Test(
            "the screen returns after its observer was killed, and the terminal is restored after the fleet",
            .timeLimit(.minutes(2)))
        func killed() async throws {
            try await Lab.withLab { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.start("fleet", "up --devices 5 --no-gateway")
                    try await terminal.shows("the table", within: .seconds(20)) {
                        $0[0].contains("  1–5 of 5") && TerminalLab.status($0).contains("5/5 online")
                    }
                    let first = try #require(try await Self.observer(lab))
                    kill(first, SIGKILL)
                    try await lab.eventually("another observer runs", within: .seconds(10)) {
                        let second = try await Self.observer(lab)
                        return second != nil && second != first
                    }
                    try await terminal.shows("the table again") {
                        $0[0].contains("  1–5 of 5") && TerminalLab.status($0).contains("5/5 online")
                    }
                    #expect(try await terminal.modes() == (isAlternate: true, hasCursor: false))
                    try await terminal.shows("that the observer was killed") { lines in
                        lines.contains { $0.contains("! ") && $0.contains("observer was ended by signal 9") }
                    }
                    try await terminal.press("q")
                    try await terminal.shows("a question") { $0[0].hasPrefix("q again: stop the fleet") }
                    try await terminal.press("q")
                    try await terminal.shows("the shell again") {
                        $0.contains("ended 0") && $0.contains("done")
                    }
                    #expect(try await terminal.modes() == (isAlternate: false, hasCursor: true))
                    #expect(try terminal.isAsBefore())
                }
            }
        }

        @Test("the terminal is usable after the fleet's observer was killed last", .timeLimit(.minutes(2)))
        func killedLast() async throws {
            try await Lab.withLab { lab in
                try await TerminalLab.with(lab) { terminal in
                    try await terminal.start("fleet", "up --devices 5 --no-gateway")
                    try await terminal.shows("the table", within: .seconds(20)) {
                        $0[0].contains("  1–5 of 5") && TerminalLab.status($0).contains("5/5 online")
                    }
                    let observer = try #require(try await Self.observer(lab))
                    // A stopped observer cannot restore the terminal.
                    kill(observer, SIGSTOP)
                    let down = try await lab.fleet("down")
                    #expect(down.status == 0, "\(down.talk)")
                    try await terminal.shows("the shell again") { $0.contains("done") }
                    #expect(try await terminal.modes() == (isAlternate: false, hasCursor: true))
                    #expect(try terminal.isAsBefore())
                }
            }
        }
    }
}
