import FleetProtocol
import Logging
import Synchronization
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
            lines.all == [
                "\(start) error controller: bad\\nline empty=\"\" name=\"a b\\\"c\\u{1B}[2J\"\n"
            ])
    }

    @Test("an error is part of the line")
    func error() {
        let lines = Lines()
        lines.logger().error("cannot start", error: RuntimeError.noFleet(searched: "/x"))
        #expect(lines.all.first?.contains("error=\"no fleet found in /x") == true)
    }
}
