import FleetProtocol
import Foundation
import Glibc
import TestSupport
import Testing

@testable import ProcessSupport

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
