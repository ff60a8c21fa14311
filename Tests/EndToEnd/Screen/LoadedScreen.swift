import Foundation
import Glibc
import TestSupport
import Testing

/// A terminal that is left open beside a loaded fleet on which everything fails that can.
struct LoadedScreen {
    private static let size = (columns: 120, lines: 40)
    private static let devices = 100
    /// The processes that are killed, at equal distances.
    private static let killed = ["node-1", "controller", "gateway", "node-2", "controller"]

    /// The duration of the load, seconds.
    let seconds: Int

    func run() async throws {
        let options = ["--nodes", "2", "--scenario", "worst-day", "--restart-nodes"]
        try await Lab.withFleet(devices: Self.devices, gateway: true, options) { lab in
            try await TerminalLab.with(lab, columns: Self.size.columns, lines: Self.size.lines) { terminal in
                try await terminal.startObserver("--log messages")
                try await terminal.shows("the fleet", within: .seconds(30)) {
                    $0[0].contains("of \(Self.devices)") && TerminalLab.status($0).hasPrefix("● established")
                }
                async let load = lab.fleet("load", "--rate", "1000", "--duration", "\(seconds)s")
                for name in Self.killed {
                    await Pace.wait(.seconds(seconds) / (Self.killed.count + 1))
                    try await lab.killAndAwaitNext(name, within: .seconds(30))
                }
                let ended = try await load
                print("measured: \(ended.output.suffix(2_000))")
                let written = try lab.read("messages")
                try await isFreshlyDrawn(terminal)
                try await hasEveryError(of: written, terminal)
                try await terminal.quit(by: "Space", "q")
            }
        }
    }

    /// Pauses the screen, and compares it with the one that Ctrl-L draws, except for the status line.
    private func isFreshlyDrawn(_ terminal: TerminalLab) async throws {
        try await terminal.press("Space", shows: "a paused screen") {
            TerminalLab.status($0).contains("while paused")
        }
        func lines() async throws -> [String] {
            try await terminal.styledLines().filter { !$0.contains("while paused") }
        }
        let before = try await lines()
        try await terminal.write("\u{1b}[2J")
        try await terminal.press("C-l")
        try await terminal.lab.eventually("the screen is the same, drawn by Ctrl-L", within: .seconds(10)) {
            try await lines() == before
        }
    }

    /// Reads the paused log's errors, from the first to the last, and compares them with the messages that
    /// were written to the file before the pause.
    private func hasEveryError(of written: String, _ terminal: TerminalLab) async throws {
        let shown = try await terminal.errorLog().map(Self.condensed).joined()
        let lines = written.split(separator: "\n")
        let errors = lines.filter { $0.contains("Z error ") }.map {
            Self.condensed($0.split(separator: " ", maxSplits: 2).last ?? "")
        }
        let kinds = Set(errors)
        print("measured: \(lines.count) messages, \(errors.count) errors of \(kinds.count) kinds")
        #expect(errors.count >= Self.killed.count)
        let missing = kinds.filter { !shown.contains($0) }
        #expect(missing.isEmpty, "\(missing.count) of \(kinds.count): \(missing.prefix(5))")
    }

    /// The condensed text without versions, in which errors of one kind differ.
    private static func condensed(_ text: some StringProtocol) -> String {
        TerminalLab.condensed(text).replacing(/(on|off)atversion\d+/, with: "")
    }
}
