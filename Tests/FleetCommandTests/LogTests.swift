import ArgumentParser
import Foundation
import Glibc
import ProcessSupport
import Synchronization
import Testing
import UnixSignals

@testable import fleet

@Suite("fleet logs", .timeLimit(.minutes(1)))
struct LogTests {
    /// A run directory with logs of the given content.
    private func place(_ logs: [String: String]) throws -> TemporaryRunDirectory {
        let place = try TemporaryRunDirectory()
        for (name, text) in logs { try write(text, to: name, in: place) }
        return place
    }

    private func write(_ text: String, to name: String, in place: TemporaryRunDirectory) throws {
        let path = place.directory.logFile(of: name)
        let before = try? Data(contentsOf: URL(filePath: path))
        try ((before ?? Data()) + Data(text.utf8)).write(to: URL(filePath: path))
    }

    private func run(
        _ line: [String], in place: TemporaryRunDirectory, stoppedBy signal: UnixSignal = .sigusr2,
        status expected: fleet.ExitStatus = .done,
        pause: (@Sendable (Duration) async throws -> Void)? = nil
    ) async throws -> Transcript {
        let line = ["logs"] + line + ["--run-dir", place.directory.path]
        return try await Fleet.output(of: line, stoppedBy: signal, status: expected) {
            if let pause { $0.pause = pause }
        }
    }

    @Test("logs of several processes are merged by time, each line with its process's name")
    func merged() async throws {
        let place = try place([
            "controller": "2026-01-01T00:00:01.000Z info a\n2026-01-01T00:00:03.000Z info c\n",
            "node-1": "2026-01-01T00:00:02.000Z info b\n  and more of b\n2026-01-01T00:00:04.000Z info d",
        ])
        let output = try await run([], in: place)
        #expect(
            output.results == [
                "controller  2026-01-01T00:00:01.000Z info a", "node-1      2026-01-01T00:00:02.000Z info b",
                "node-1      and more of b", "controller  2026-01-01T00:00:03.000Z info c",
                "node-1      2026-01-01T00:00:04.000Z info d",
            ])
    }

    @Test(
        "--lines limits a log to its last lines",
        arguments: [(1, ["c"]), (2, ["b", "c"]), (50, ["a", "b", "c"])])
    func tail(count: Int, expected: [String]) async throws {
        let place = try place(["controller": "a\nb\nc\n"])
        let output = try await run(["controller", "--lines", "\(count)"], in: place)
        #expect(output.results == expected)
    }

    @Test("a long log is read from its end, over as many blocks as needed")
    func long() throws {
        let text = (1...40_000).map { "line number \($0)\n" }.joined()
        let place = try place(["controller": text])
        var file = LogFile(path: place.directory.logFile(of: "controller"))
        let lines = file.tail(10_000, moreIsToCome: true)
        #expect(lines.count == 10_000)
        #expect(lines.first == "line number 30001")
        #expect(lines.last == "line number 40000")
        #expect(file.added().isEmpty)
        try write("more\nand ", to: "controller", in: place)
        #expect(file.added() == ["more"])
        try write("more\n", to: "controller", in: place)
        #expect(file.added() == ["and more"])
    }

    @Test("a truncated log is read from its start")
    func emptied() throws {
        let place = try place(["controller": "one\ntwo\n"])
        var file = LogFile(path: place.directory.logFile(of: "controller"))
        #expect(file.tail(5, moreIsToCome: true) == ["one", "two"])
        #expect(truncate(file.path, 0) == 0)
        try write("new\n", to: "controller", in: place)
        #expect(file.added() == ["new"])
    }

    /// Rotates the files of a log as the process that writes it does.
    private func rotate(_ path: String) {
        let chain = [path] + RotatingLog.olderFiles(of: path)
        for (newer, older) in zip(chain, chain.dropFirst()).reversed() { rename(newer, older) }
    }

    @Test("a followed log that is rotated several times is read to its end, then the new file")
    func rotated() throws {
        let place = try place(["controller": "one\n"])
        var file = LogFile(path: place.directory.logFile(of: "controller"))
        #expect(file.tail(5, moreIsToCome: true) == ["one"])
        try write("two\n", to: "controller", in: place)
        rotate(file.path)
        #expect(file.added() == [], "the new file does not exist yet")
        try write("three\n", to: "controller", in: place)
        rotate(file.path)
        try write("four\nfi", to: "controller", in: place)
        #expect(file.added() == ["two", "three", "four"])
        try write("ve\n", to: "controller", in: place)
        #expect(file.added() == ["five"])
        #expect(file.added() == [])
    }

    @Test("rotated files are included in the last lines of a log")
    func tailOfRotated() throws {
        let place = try place(["controller": "one\ntwo\n"])
        let path = place.directory.logFile(of: "controller")
        rotate(path)
        try write("three\n", to: "controller", in: place)
        rotate(path)
        try write("four\n", to: "controller", in: place)
        let all = ["one", "two", "three", "four"]
        for (count, expected) in [(1, all.suffix(1)), (3, all.suffix(3)), (9, all[...])] {
            var file = LogFile(path: path)
            #expect(file.tail(count, moreIsToCome: true) == Array(expected))
            #expect(file.added() == [])
        }
        #expect(LogReader.names(in: place.directory) == ["controller"])
    }

    @Test(
        "the log of an unknown process is refused with the names of the existing logs",
        arguments: ["nobody", "../session"])
    func unknown(name: String) async throws {
        let place = try place(["controller": "a\n", "node-1": "b\n"])
        try Data("secret".utf8).write(to: URL(filePath: "\(place.directory.path)/session.log"))
        let output = try await run([name], in: place, status: .usage)
        #expect(output.talk.contains("controller, node-1"))
        #expect(output.results.isEmpty)
    }

    @Test("a log that is a symbolic link out of the run directory is not read")
    func symbolicLink() async throws {
        let place = try place(["controller": "a\n"])
        try FileManager.default.createSymbolicLink(
            atPath: place.directory.logFile(of: "passwords"), withDestinationPath: "/etc/passwd")
        let output = try await run(["passwords"], in: place)
        #expect(output.results.isEmpty)
    }

    @Test("control characters of a log are replaced before they reach the terminal")
    func safe() async throws {
        let place = try place(["controller": "\u{1b}[2Jgone\n"])
        let output = try await run(["controller"], in: place)
        #expect(output.results == ["\u{fffd}[2Jgone"])
    }

    @Test("followed logs include new files until a stop signal, which ends the command successfully")
    func followed() async throws {
        let place = try place(["controller": "a\nb\n"])
        let directory = place.directory
        let pauses = Mutex(0)
        let output = try await run(
            ["--follow", "--lines", "1"], in: place, stoppedBy: .sigusr1,
            pause: { _ in
                let count = pauses.withLock { count in
                    count += 1
                    return count
                }
                switch count {
                case 1: try Data("c\n".utf8).write(to: URL(filePath: directory.logFile(of: "node-1")))
                case 2: kill(getpid(), SIGUSR1)
                default: try await Surroundings.wait(for: .seconds(60))
                }
            })
        #expect(output.results == ["controller  b", "node-1      c"])
    }

    @Test("stop signals are awaited before the first line of a followed log")
    func signalAtFirstLine() async throws {
        let place = try place(["controller": "a\n"])
        let transcript = Transcript()
        let linesBefore = Mutex(-1)
        var surroundings = Surroundings.test(transcript)
        let signals = surroundings.stopSignals
        surroundings.stopSignals = {
            linesBefore.withLock { $0 = transcript.results.count }
            return await signals()
        }
        surroundings.pause = { _ in throw CancellationError() }
        let parsed = try Fleet.parseAsRoot(["logs", "--follow", "--run-dir", place.directory.path])
        _ = await (try #require(parsed as? LogsCommand)).status(in: surroundings)
        #expect(linesBefore.withLock { $0 } == 0)
        #expect(transcript.results == ["controller  a"])
    }

    @Test("log text is split into lines at newlines and at the length limit")
    func splitter() {
        var splitter = LineSplitter()
        #expect(splitter.append("a\nb".utf8) == ["a"])
        #expect(splitter.append("c\n\n".utf8) == ["bc", ""])
        #expect(splitter.finish() == nil)
        let long = String(repeating: "x", count: LineSplitter.limitBytes)
        #expect(splitter.append((long + "y").utf8) == [long])
        #expect(splitter.finish() == "y")
    }

    @Test("merged logs keep the order within each log when its clock was set back")
    func clockSetBack() {
        var merge = LogMerge()
        let entries = merge.merged([
            ("a", ["2026-01-02T00:00:00.000Z 1", "2026-01-01T00:00:00.000Z 2"]),
            ("b", ["2026-01-01T12:00:00.000Z 3"]),
        ])
        #expect(entries.map { $0.text.suffix(1) } == ["3", "1", "2"])
        #expect(LogEntry.time(of: "2026-01-01 00:00:00.000Z") == nil)
        #expect(LogEntry.time(of: "fleet: ready") == nil)
    }
}
