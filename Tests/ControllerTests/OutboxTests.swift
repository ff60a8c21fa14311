import ControllerCore
import FleetProtocol
import Foundation
import Glibc
import Logging
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("The outbox", .timeLimit(.minutes(2)))
struct OutboxTests {
    private let directory: TemporaryDirectory
    /// For a program that ends at once: it runs in parallel with all other tests.
    private let timeoutSeconds = 60

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func message(_ address: String = "ann@example.com") -> OutgoingMessage {
        OutgoingMessage(
            to: valid(Email(address)), token: valid(Token([UInt8](repeating: 0xab, count: 32))),
            expiresAt: WallTime(unixMilliseconds: 1_800_000_000_000))
    }

    /// Hands a message over to a program of those lines.
    private func handOver(_ lines: String, arguments: [String] = []) async throws {
        let way = Outbox.Way.command(executable: try program(lines), arguments: arguments)
        try await Outbox.handOver(message(), way, name: "", withinSeconds: timeoutSeconds)
    }

    private func makeOutbox(_ way: Outbox.Way) throws -> Outbox {
        try Outbox(
            way, clock: SystemClock(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
    }

    /// An executable with those lines.
    private func program(_ lines: String) throws -> String {
        let path = directory.path + "/program"
        try Data("#!/bin/sh\n\(lines)\n".utf8).write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: path)
        return path
    }

    private func files() throws -> [String] {
        try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
    }

    @Test("a message has the token, its expiry, and what to do with it")
    func text() {
        let text = message().text
        #expect(text.hasPrefix("To: ann@example.com\nSubject: "))
        #expect(text.contains("\n\n" + String(repeating: "ab", count: 32) + "\n\n"))
        #expect(text.contains("2027-01-15T08:00:00 UTC"))
        #expect(text.contains("fleet password reset"))
        #expect(!"\(message())".contains("abab"))
    }

    @Test(
        "a message names one recipient, for any address",
        arguments: [
            ("a.b+c@x.org", "a.b+c@x.org"), ("ann,ben@x", "\"ann,ben\"@x"), ("<ann>@x", "\"<ann>\"@x"),
            ("a\"b\\c@x", "\"a\\\"b\\\\c\"@x"), (".ann@x", "\".ann\"@x"), ("a..b@x", "\"a..b\"@x"),
            ("jürgen@x", "jürgen@x"), ("ann;bcc:ben@x", "\"ann;bcc:ben\"@x"),
        ])
    func mailbox(address: String, expected: String) throws {
        #expect(try #require(Email(address)).mailbox == expected)
    }

    @Test("a message is refused for an address whose domain could name another recipient")
    func noMailbox() async throws {
        for address in ["ann@x,ben", "ann@x;ben", "ann@x>,<ben", "ann@\"x\""] {
            await #expect(throws: OutboxError.noMailbox) {
                try await Outbox.handOver(message(address), .directory(directory.path), name: "a")
            }
        }
        for address in ["ann@x.org", "ann@[127.0.0.1]", "ann@[ipv6:::1]", "ann@bücher.example"] {
            #expect(try #require(Email(address)).hasMailbox, "\(address)")
        }
        #expect(try files() == [])
    }

    @Test("a message fits into a pipe, for any address")
    func longest() {
        let longest = String(repeating: "\"", count: Limits.emailBytes - 2) + "@b"
        #expect(message(longest).text.utf8.count <= 4_096)
    }

    @Test("each message is written to its own complete file, readable by its owner only")
    func file() async throws {
        let (first, second) = (message(), message("ben@example.com"))
        try await Outbox.handOver(first, .directory(directory.path), name: "1.eml")
        try await Outbox.handOver(second, .directory(directory.path), name: "2.eml")
        #expect(try files() == ["1.eml", "2.eml"])
        #expect(try String(contentsOfFile: directory.path + "/2.eml", encoding: .utf8) == second.text)
        #expect(try TemporaryDirectory.permissions(of: directory.path + "/1.eml") == 0o600)
    }

    @Test("an outbox directory accepts no more messages when it is full")
    func full() async throws {
        for number in 0..<Outbox.filesAtMost {
            try Data().write(to: URL(filePath: "\(directory.path)/\(number)"))
        }
        await #expect(throws: OutboxError.full(directory.path)) {
            try await Outbox.handOver(message(), .directory(directory.path), name: "late.eml")
        }
        #expect(try files().count == Outbox.filesAtMost)
    }

    @Test("a message is passed to a program's standard input, and its arguments not to a shell")
    func command() async throws {
        let output = directory.path + "/taken"
        try await handOver("cat >\"$1\"; printf %s \"$2\" >\"$1.argument\"", arguments: [output, "$(id);*"])
        #expect(try String(contentsOfFile: output, encoding: .utf8) == message().text)
        #expect(try String(contentsOfFile: "\(output).argument", encoding: .utf8) == "$(id);*")
    }

    @Test("a program that fails is an error, and one that does not read its input is not")
    func unwilling() async throws {
        let error = await #expect(throws: OutboxError.self) { try await handOver("exit 3") }
        guard case .refused? = error else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(error?.description.contains("abab") == false)
        try await handOver("exec <&-; exit 0")
    }

    @Test("a program that succeeds when it is asked to end counts as successful")
    func lastMoment() async throws {
        let program = try program("trap 'exit 0' TERM\nwhile :; do sleep 0.01; done")
        try await Outbox.handOver(
            message(), .command(executable: program, arguments: []), name: "", withinSeconds: 4,
            grace: .seconds(30))
    }

    @Test("a program that takes too long is ended")
    func late() async throws {
        let program = try program("while :; do read -r line || :; done")
        await #expect(throws: OutboxError.late(program)) {
            try await Outbox.handOver(
                message(), .command(executable: program, arguments: []), name: "", withinSeconds: 1)
        }
    }

    @Test(
        "the end of the controller ends a program that does not end, within two seconds",
        .timeLimit(.minutes(1)))
    func farewell() async throws {
        let program = try program("trap '' TERM; echo $$ >\"$1.new\"; mv \"$1.new\" \"$1\"; exec sleep 60")
        let mark = directory.path + "/id"
        let outbox = try makeOutbox(.command(executable: program, arguments: [mark]))
        outbox.send(message())
        while !FileManager.default.fileExists(atPath: mark) { await Task.yield() }
        let text = try String(contentsOfFile: mark, encoding: .utf8)
        let process = try #require(Int32(text.trimmingCharacters(in: .newlines)))
        defer { kill(process, SIGKILL) }
        let clock = ContinuousClock()
        let start = clock.now
        outbox.finish()
        #expect(clock.now - start < .seconds(2).slowed)
        while kill(process, 0) == 0 { await Task.yield() }
    }

    @Test(
        "an outbox directory that others can write to is refused with advice",
        arguments: [(0o700, nil), (0o755, nil), (0o757, "757"), (0o1777, "777")] as [(mode_t, String?)])
    func writable(mode: mode_t, refused: String?) throws {
        try #require(chmod(directory.path, mode) == 0)
        defer { chmod(directory.path, 0o700) }
        var refusal: String?
        do {
            _ = try makeOutbox(.directory(directory.path))
        } catch {
            refusal = "\(error)"
        }
        #expect((refusal == nil) == (refused == nil))
        if let refused, let refusal {
            #expect(refusal.contains("(mode \(refused)): chmod go-w \(directory.path)"), "\(refusal)")
        }
    }
}
