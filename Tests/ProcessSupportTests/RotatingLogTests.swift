import Foundation
import Glibc
import TestSupport
import Testing

@testable import ProcessSupport

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
