import Foundation
import Glibc
import TestSupport
import Testing

/// A terminal of some size with a shell; tmux draws it and returns its contents.
struct TerminalLab: Sendable {
    let lab: Lab

    private static let shell = "PS1='$ ' exec sh"

    /// Opens a terminal in a lab, and closes it in any case.
    static func with(
        _ lab: Lab, columns: Int = 80, lines: Int = 24, _ body: (TerminalLab) async throws -> Void
    ) async throws {
        let terminal = TerminalLab(lab: lab)
        try await terminal.tmux("new-session", "-d", "-x", "\(columns)", "-y", "\(lines)", shell)
        try await terminal.shows("a prompt") { $0.first == "$" }
        try await withCleanup {
            try await body(terminal)
        } cleanup: {
            try await terminal.tmux("kill-server")
        }
    }

    /// Starts an observer, prepared for checks of the terminal after it.
    func startObserver(_ options: String = "") async throws {
        try await start("observer", options)
    }

    /// Starts one of the product's programs, prepared for checks of the terminal after it.
    func start(_ program: String, _ options: String) async throws {
        let program = lab.executable(program)
        try await type(
            "clear; stty -a >before; \(program) \(options); echo ended $?; stty -a >after; echo done")
        try await press("Enter")
    }

    /// Presses a key, and waits until the screen satisfies a condition.
    func press(
        _ keys: String..., shows what: String, sourceLocation: SourceLocation = #_sourceLocation,
        _ holds: ([String]) -> Bool
    ) async throws {
        try await tmux(["send-keys"] + keys)
        try await shows(what, sourceLocation: sourceLocation, holds)
    }

    /// Presses the keys that end a program, and expects that it ended well and left the terminal usable.
    func quit(by keys: String..., sourceLocation: SourceLocation = #_sourceLocation) async throws {
        try await tmux(["send-keys"] + keys)
        try await shows("the shell again", sourceLocation: sourceLocation) {
            $0.contains("ended 0") && $0.contains("done")
        }
        try await expectRestored(sourceLocation: sourceLocation)
    }

    /// Expects that a program uses the alternate screen without a cursor.
    func expectDrawn(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let modes = try await modes()
        #expect(modes == (isAlternate: true, hasCursor: false), sourceLocation: sourceLocation)
    }

    /// Expects the modes of the terminal and of its input to be those before the program.
    func expectRestored(sourceLocation: SourceLocation = #_sourceLocation) async throws {
        let modes = try await modes()
        #expect(modes == (isAlternate: false, hasCursor: true), sourceLocation: sourceLocation)
        #expect(try lab.read("before") == lab.read("after"), "input modes", sourceLocation: sourceLocation)
    }

    /// Presses keys by their names in tmux: a character each, or `Enter`, `Escape`, `PageDown` and so on.
    func press(_ keys: String...) async throws {
        try await tmux(["send-keys"] + keys)
    }

    /// Types a text.
    func type(_ text: String) async throws {
        try await tmux("send-keys", "-l", text)
    }

    /// Writes over the screen's content, like another process on the terminal.
    func write(_ text: String) async throws {
        let words = try await tmux("display-message", "-p", "#{pane_tty}").split(separator: "\n")
        let path = String(try #require(words.first))
        let descriptor = open(path, O_WRONLY | O_NOCTTY)
        try #require(descriptor >= 0, "\(path): errno \(errno)")
        defer { close(descriptor) }
        let bytes = Array(text.utf8)
        try #require(Glibc.write(descriptor, bytes, bytes.count) == bytes.count)
    }

    /// Changes the size of the terminal.
    func resize(columns: Int, lines: Int) async throws {
        try await tmux("resize-window", "-x", "\(columns)", "-y", "\(lines)")
    }

    /// The screen: each line without trailing blanks.
    func lines() async throws -> [String] { try await capture(["capture-pane", "-p"]) }

    /// The screen with the escape sequences of its colours.
    func styledLines() async throws -> [String] {
        // In one capture, the sequences at the begin of a line depend on the end of the line before.
        let rows = try await lines().indices
        let captures = rows.map { ["capture-pane", "-p", "-e", "-S", "\($0)", "-E", "\($0)"] }
        return try await capture(Array(captures.joined(separator: [";"])))
    }

    private func capture(_ commands: [String]) async throws -> [String] {
        let lines = try await tmux(commands).split(separator: "\n", omittingEmptySubsequences: false)
        return lines.dropLast().map { line in String(line.reversed().drop { $0 == " " }.reversed()) }
    }

    /// Waits until the screen satisfies a condition; a failure shows the screen.
    func shows(
        _ what: String, within limit: Duration = .seconds(10),
        sourceLocation: SourceLocation = #_sourceLocation, _ holds: ([String]) -> Bool
    ) async throws {
        let clock = ContinuousClock()
        let start = clock.now
        var seen: [String] = []
        while clock.now - start < limit.slowed {
            seen = try await lines()
            if holds(seen) { return }
        }
        let screen = seen.joined(separator: "\n")
        Issue.record(
            "not within \(limit.slowed): \(what); the screen is\n\(screen)", sourceLocation: sourceLocation
        )
    }

    /// Returns the line with the state of the connection, above the keys if these have a line.
    static func status(_ lines: [String]) -> String { lines.last { $0.hasPrefix("● ") } ?? "" }

    /// The lines of all pages of the observer's log of errors, from the first to the last.
    func errorLog() async throws -> [String] {
        try await press("!", shows: "the errors") { $0[1] == "log: errors only" }
        try await press("Home")
        var (log, end): ([String], Int) = ([], 0)
        while true {
            try await shows("the next errors") { Self.place($0[0])?.last ?? 0 > end }
            let lines = try await lines()
            let place = try #require(Self.place(lines[0]))
            log += lines[2..<lines.count - 3]
            if place.last == place.count { return log }
            end = place.last
            try await press("PageDown")
        }
    }

    /// The last message on the screen, and how many there are, of `1–20 of 96`.
    private static func place(_ title: String) -> (last: Int, count: Int)? {
        guard let match = title.firstMatch(of: /–(\d+) of (\d+)/) else { return nil }
        guard let last = Int(match.1), let count = Int(match.2) else { return nil }
        return (last, count)
    }

    /// A text without blanks, which wrapping may have made of one another.
    static func condensed(_ text: some StringProtocol) -> String { String(text.filter { $0 != " " }) }

    /// Whether a program uses the alternate screen, and whether the cursor is visible.
    private func modes() async throws -> (isAlternate: Bool, hasCursor: Bool) {
        let words = try await tmux("display-message", "-p", "#{alternate_on} #{cursor_flag}").split(
            separator: " ")
        return (words.first == "1", words.last?.hasPrefix("1") == true)
    }

    /// The process that the shell waits for.
    func processID() async throws -> Int32 {
        let text = try await tmux("display-message", "-p", "#{pane_pid}")
        let shell = try #require(Int32(text.prefix { $0.isNumber }))
        let children = try String(contentsOfFile: "/proc/\(shell)/task/\(shell)/children", encoding: .utf8)
        return try #require(children.split(separator: " ").first.flatMap { Int32($0) })
    }

    @discardableResult
    private func tmux(_ arguments: String...) async throws -> String {
        try await tmux(arguments)
    }

    @discardableResult
    private func tmux(_ arguments: [String]) async throws -> String {
        let server = ["-u", "-S", "\(lab.directory)/tmux", "-f", "/dev/null"]
        let ended = try await lab.run("/usr/bin/tmux", server + arguments)
        try #require(ended.status == 0, "tmux \(arguments): \(ended.talk)")
        return ended.output
    }
}
