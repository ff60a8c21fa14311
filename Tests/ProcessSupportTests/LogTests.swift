import FleetProtocol
import Foundation
import Glibc
import Logging
import Synchronization
import TestSupport
import Testing

@testable import ProcessSupport

@Suite("Lines of the log")
struct LineLogHandlerTests {
    /// Collects the lines that a logger writes.
    private final class Lines: Sendable {
        private let lines = Mutex<[String]>([])

        var all: [String] { lines.withLock { $0 } }

        func logger(level: Logger.Level = .info) -> Logger {
            Logger(label: "test") { _ in
                LineLogHandler(
                    process: "controller", logLevel: level,
                    now: { WallTime(unixMilliseconds: 1_769_860_800_123) },
                    write: { [self] line in lines.withLock { $0.append(line) } })
            }
        }
    }

    private let start = "2026-01-31T12:00:00.123Z"

    @Test("a message is one line with the time, the level, the process and its metadata in order")
    func line() {
        let lines = Lines()
        var logger = lines.logger()
        logger[metadataKey: "node"] = "node-1"
        logger.info("journal opened", metadata: ["epoch": "7", "rows": "0"])
        #expect(lines.all == ["\(start) info controller: journal opened epoch=7 node=node-1 rows=0\n"])
    }

    @Test("messages below the level are omitted")
    func level() {
        let lines = Lines()
        let logger = lines.logger(level: .warning)
        logger.info("not this")
        logger.warning("this")
        #expect(lines.all == ["\(start) warning controller: this\n"])
    }

    @Test("line breaks and quotes in messages and values are escaped")
    func hostile() {
        let lines = Lines()
        lines.logger().error("bad\nline", metadata: ["name": "a b\"c\u{1b}[2J", "empty": ""])
        #expect(
            lines.all == ["\(start) error controller: bad\\nline empty=\"\" name=\"a b\\\"c\\u{1B}[2J\"\n"])
    }

    @Test("an error is part of the line")
    func error() {
        let lines = Lines()
        lines.logger().error("cannot start", error: RuntimeError.noFleet(searched: "/x"))
        #expect(lines.all.first?.contains("error=\"no fleet found in /x") == true)
    }
}

@Suite("LineBudget")
struct LineBudgetTests {
    @Test("a line budget omits further lines until the second ends, and then returns their number")
    func spend() {
        var budget = LineBudget(linesPerSecond: 2)
        func spend(_ milliseconds: Int) -> Int? {
            budget.spend(at: .zero.advanced(by: .milliseconds(milliseconds)))
        }
        #expect([0, 500, 501, 999].map(spend) == [0, 0, nil, nil])
        #expect([1_000, 1_001, 1_002].map(spend) == [2, 0, nil])
        #expect(spend(2_500) == 1)
    }
}

@Suite("RotatingLog")
struct RotatingLogTests {
    /// Redirects standard output and error to a file, as the supervisor does for a process.
    private static func redirect(to path: String) throws {
        let descriptor = try OwnFile.open(path, O_WRONLY | O_APPEND | O_CREAT)
        for standard in [STDOUT_FILENO, STDERR_FILENO] { try #require(dup2(descriptor, standard) >= 0) }
        close(descriptor)
    }

    /// The numbers of the lines in a log and its older files, the oldest first.
    private static func numbers(in path: String) throws -> [Int] {
        let files = RotatingLog.olderFiles(of: path).reversed() + [path]
        return try files.filter { access($0, F_OK) == 0 }.flatMap { file in
            let text = try String(contentsOfFile: file, encoding: .utf8)
            #expect(text.utf8.count < 1_100, "\(file)")
            return text.split(separator: "\n").compactMap { Int($0.prefix { $0.isNumber }) }
        }
    }

    @Test("a rotating log loses lines only with its oldest file, and its files stay below their size")
    func bounded() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectory()
            let path = "\(temporary.path)/controller.log"
            try RotatingLogTests.redirect(to: path)
            let log = try #require(RotatingLog(path: path, limitBytes: 1_000))
            let filling = String(repeating: "x", count: 40)
            for number in 1...60 { log.write("\(number) \(filling)\n") }
            #expect(try RotatingLogTests.numbers(in: path) == Array(1...60))
            TextOutput.standardOutput.writeIgnoringErrors("61\n")
            for number in 62...1_000 { log.write("\(number) \(filling)\n") }
            let left = try RotatingLogTests.numbers(in: path)
            #expect(left == Array((1_001 - left.count)...1_000))
            #expect(left.count > 60)
            #expect(access("\(path).4", F_OK) != 0)
        }
    }

    @Test("a log is not rotated if the process writes elsewhere")
    func elsewhere() async {
        await #expect(processExitsWith: .success) {
            let temporary = try TemporaryDirectory()
            let path = "\(temporary.path)/controller.log"
            try Data("of another process".utf8).write(to: URL(filePath: path))
            #expect(RotatingLog(path: path) == nil)
            #expect(RotatingLog(path: "\(path).none") == nil)
        }
    }
}

@Suite("AppendedLog")
struct AppendedLogTests {
    private static let time = WallTime(unixMilliseconds: 1_769_860_800_123)

    private static func lines(of path: String) throws -> [String] {
        try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n").map(String.init)
    }

    @Test("an appended log has lines of the usual form, and only its owner can read it")
    func form() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/supervisor.log"
        let log = AppendedLog(path: path, process: "supervisor")
        log.append("started", isError: false, at: Self.time)
        log.append("two\nlines", isError: true, at: Self.time)
        let start = "2026-01-31T12:00:00.123Z"
        #expect(
            try Self.lines(of: path) == [
                "\(start) info supervisor: started", "\(start) error supervisor: two\\nlines",
            ])
        #expect(FileStatus(of: path)?.permissions == 0o600)
    }

    @Test("an appended log starts a new file when one is full, and keeps at most four")
    func bounded() throws {
        let temporary = try TemporaryDirectory()
        let path = "\(temporary.path)/supervisor.log"
        let log = AppendedLog(path: path, process: "supervisor", limitBytes: 500)
        for number in 1...100 { log.append("\(number)", isError: false, at: Self.time) }
        let files = (RotatingLog.olderFiles(of: path).reversed() + [path]).filter { access($0, F_OK) == 0 }
        let numbers = try files.flatMap { try Self.lines(of: $0) }.compactMap {
            $0.split(separator: " ").last.flatMap { Int($0) }
        }
        #expect(numbers == Array((101 - numbers.count)...100))
        #expect(files.count <= 4 && access("\(path).4", F_OK) != 0)
        #expect(files.allSatisfy { FileStatus(of: $0)?.bytes ?? 0 < 560 })
    }

    @Test("an appended log does not follow a symbolic link")
    func link() throws {
        let temporary = try TemporaryDirectory()
        let (path, victim) = ("\(temporary.path)/supervisor.log", "\(temporary.path)/victim")
        try #require(symlink(victim, path) == 0)
        AppendedLog(path: path, process: "supervisor").append("x", isError: true, at: Self.time)
        #expect(access(victim, F_OK) != 0)
    }
}

@Suite("Standard output")
struct TextOutputTests {
    @Test("a full disk is an error that says what failed and what to do")
    func full() throws {
        let descriptor = open("/dev/full", O_WRONLY | O_CLOEXEC)
        try #require(descriptor >= 0, "errno \(errno)")
        defer { close(descriptor) }
        let failure = try #require(
            #expect(throws: TextOutput.Failure.self) { try TextOutput(descriptor: descriptor).writeLine("a") }
        )
        #expect(!failure.isUnread)
        #expect(
            "\(failure)"
                == "cannot write to standard output: No space left on device; free space on that disk")
    }

    @Test("a pipe without a reader is an error, and does not end the process by SIGPIPE")
    func unread() async {
        await #expect(processExitsWith: .success) {
            signal(SIGPIPE, SIG_DFL)
            var ends: [Int32] = [0, 0]
            try #require(pipe(&ends) == 0)
            close(ends[0])
            let output = TextOutput(descriptor: ends[1])
            for _ in 1...2 {
                #expect(throws: TextOutput.Failure(errno: EPIPE)) { try output.writeLine("a") }
            }
            #expect(TextOutput.Failure(errno: EPIPE).isUnread)
        }
    }

    @Test("a text longer than a pipe arrives whole through a non-blocking pipe")
    func long() async throws {
        var ends: [Int32] = [0, 0]
        try #require(pipe(&ends) == 0)
        for end in ends { try #require(fcntl(end, F_SETFL, O_NONBLOCK) == 0) }
        let (input, output) = (ends[0], TextOutput(descriptor: ends[1]))
        async let read = Self.readAll(input)
        try output.write([UInt8](repeating: 7, count: 300_000))
        close(ends[1])
        #expect(await read == 300_000)
        close(input)
    }

    /// The number of bytes until the writer closes the pipe.
    @concurrent private static func readAll(_ input: Int32) async -> Int {
        var (total, buffer) = (0, [UInt8](repeating: 0, count: 4_096))
        while true {
            let count = Glibc.read(input, &buffer, buffer.count)
            if count == 0 { return total }
            if count > 0 { total += count }
            var waiting = pollfd(fd: input, events: Int16(POLLIN), revents: 0)
            poll(&waiting, 1, -1)
        }
    }

    @Test("no file takes the place of a closed standard output, whose results are an error")
    func closed() async {
        await #expect(processExitsWith: .success) {
            close(STDOUT_FILENO)
            try Hardening.apply(environment: [Hardening.traceableVariable: "1"])
            let file = open("/dev/null", O_WRONLY)
            #expect(file > STDERR_FILENO)
            #expect(throws: TextOutput.Failure(errno: EBADF)) { try TextOutput.standardOutput.writeLine("a") }
        }
    }
}

@Suite("Refused messages")
struct RefusedMessagesTests {
    private enum Kind: String {
        case frames, node
    }

    private static func second(_ seconds: Double) -> MonotonicTime {
        .zero.advanced(by: .seconds(seconds))
    }

    @Test("refused messages are counted by kind, with the first reason, and reported once")
    func report() {
        var refused = RefusedMessages<Kind>()
        #expect(refused.report(at: Self.second(0)) == nil)
        refused.count(.frames, times: 0)
        #expect(refused.report(at: Self.second(0)) == nil)
        refused.count(.frames, times: 64)
        refused.count(.node, because: "too long")
        refused.count(.node, because: "another version")
        #expect(refused.report(at: Self.second(0)) == ["frames": "64", "node": "2", "reason": "too long"])
        #expect(refused.report(at: Self.second(9)) == nil)
    }

    @Test("refused messages are reported at most once a second, and all are counted")
    func throttled() {
        var refused = RefusedMessages<Kind>()
        var reports = 0
        for millisecond in 0..<2_500 {
            refused.count(.node)
            if refused.report(at: Self.second(Double(millisecond) / 1_000)) != nil { reports += 1 }
        }
        #expect(reports == 3)
        #expect(refused.report(at: Self.second(3)) == ["node": "499"])
    }

    @Test("a reason is formatted once per report, not per message")
    func reasonIsLazy() {
        var refused = RefusedMessages<Kind>()
        var asked = 0
        func reason() -> String {
            asked += 1
            return "reason"
        }
        for _ in 0..<1_000 { refused.count(.node, because: reason()) }
        #expect(asked == 1)
    }
}
