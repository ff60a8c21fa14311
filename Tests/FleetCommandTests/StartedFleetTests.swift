import ArgumentParser
import Foundation
import ProcessSupport
import Testing
import UserText

@testable import fleet

@Suite("Fleets of a user", .timeLimit(.minutes(1)))
struct StartedFleetTests {
    private let home: Home

    init() throws { home = try Home() }

    /// A home directory and run directories in it, removed after the test.
    private final class Home {
        let path: String

        init() throws {
            path = FileManager.default.temporaryDirectory.path + "/home-\(UUID())"
            try FileManager.default.createDirectory(
                atPath: path, withIntermediateDirectories: false, attributes: [.posixPermissions: 0o700])
        }

        deinit {
            do {
                try FileManager.default.removeItem(atPath: path)
            } catch {
                Issue.record("\(path) cannot be removed: \(error)")
            }
        }

        func directory(_ name: String, isRegistered: Bool = false) throws -> RunDirectory {
            let directory = RunDirectory(path: "\(path)/\(name)")
            try directory.create()
            try FileLock(path: directory.lockFile(for: "supervisor")).close()
            if isRegistered { try registry.add(directory) }
            return directory
        }

        var registry: FleetRegistry {
            get throws { try #require(FleetRegistry(environment: ["HOME": path])) }
        }
    }

    private func createFiles(_ names: [String], in directory: RunDirectory) throws {
        for name in names {
            let path = URL(filePath: "\(directory)/\(name)")
            try FileManager.default.createDirectory(
                at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
            try Data().write(to: path)
        }
    }

    /// Runs a command with a home directory; standard input has that line.
    @discardableResult
    private func run(
        _ line: [String], answer: String? = nil, status expected: fleet.ExitStatus = .done,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Transcript {
        try await Fleet.output(of: line, status: expected, sourceLocation: sourceLocation) {
            $0.environment = ["HOME": home.path]
            $0.terminal.readLine = { answer }
        }
    }

    @Test("a registry lists each added run directory once, and forgets removed ones")
    func registry() throws {
        let registry = try home.registry
        #expect(registry.directories().isEmpty)
        let (one, two) = (try home.directory("one"), try home.directory("two"))
        for directory in [one, two, one] { try registry.add(directory) }
        #expect(Set(registry.directories()) == [one, two])
        try FileManager.default.removeItem(atPath: one.path)
        #expect(registry.directories() == [two])
        try registry.remove(two)
        #expect(registry.directories().isEmpty)
    }

    @Test("a registry has a limited number of entries")
    func limit() throws {
        let registry = try home.registry
        let shared = try home.directory("shared")
        for number in 0..<(FleetRegistry.limit + 3) {
            let directory = RunDirectory(path: "\(home.path)/\(number)")
            try FileManager.default.createDirectory(
                atPath: directory.path, withIntermediateDirectories: false)
            try registry.add(directory)
        }
        try registry.add(shared)
        #expect(registry.directories().count == FleetRegistry.limit)
        #expect(registry.directories().contains(shared))
    }

    @Test("XDG_STATE_HOME has precedence, and without a home directory there is no registry")
    func places() {
        #expect(FleetRegistry(environment: [:]) == nil)
        #expect(FleetRegistry(environment: ["HOME": "relative"]) == nil)
        #expect(FleetRegistry(environment: ["HOME": "/h"])?.path == "/h/.local/state/sensibus/fleets")
        #expect(
            FleetRegistry(environment: ["HOME": "/h", "XDG_STATE_HOME": "/s"])?.path == "/s/sensibus/fleets")
    }

    @Test("`fleet ls` lists stopped fleets, and those that it must not use")
    func list() async throws {
        let stopped = try home.directory("stopped", isRegistered: true)
        let open = try home.directory("open", isRegistered: true)
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: open.path)
        let output = try await run(["ls", "-o", "json"])
        #expect(output.results.count == 2)
        #expect(output.results.contains { $0.contains(stopped.path) && $0.contains(#""state":"stopped""#) })
        #expect(output.results.contains { $0.contains(open.path) && $0.contains(#""state":"unsafe""#) })
        #expect(try await run(["ls"]).results[0].hasPrefix("RUN DIR "))
    }

    @Test("`fleet reset` removes the state of a fleet after a confirmation, and leaves its logs")
    func reset() async throws {
        let directory = try home.directory("fleet")
        for name in ["journal", "memory", "logs"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
        try createFiles(["controller.sqlite", "session.json", "gateway-port"], in: directory)
        let line = ["reset", "--run-dir", directory.path]
        for answer in [nil, "n", ""] { try await run(line, answer: answer, status: .refused) }
        #expect(FileManager.default.fileExists(atPath: directory.storeFile))
        try await run(line, answer: "y")
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(left == ["controller.lock", "gateway-port", "logs", "supervisor.lock"])
        let output = try await run(line)
        #expect(output.talk.contains("no state to remove"))
    }

    @Test("`fleet reset` refuses while a process of the fleet runs", arguments: ["supervisor", "controller"])
    func running(process: String) async throws {
        let directory = try home.directory("fleet")
        #expect(FileManager.default.createFile(atPath: directory.storeFile, contents: nil))
        let lock = try FileLock(path: directory.lockFile(for: process))
        defer { lock.close() }
        let output = try await run(["reset", "--yes", "--run-dir", directory.path], status: .refused)
        #expect(output.talk.contains("`fleet down`"))
        #expect(FileManager.default.fileExists(atPath: directory.storeFile))
    }

    @Test("`fleet prune` removes stopped fleets after a confirmation, and no running one")
    func prune() async throws {
        let stopped = try home.directory("stopped", isRegistered: true)
        let running = try home.directory("running", isRegistered: true)
        let lock = try FileLock(path: running.lockFile(for: "supervisor"))
        defer { lock.close() }
        let question = try await run(["prune"], answer: "no", status: .refused)
        #expect(question.results == [stopped.path])
        #expect(FileManager.default.fileExists(atPath: stopped.path))
        try await run(["prune", "--yes"])
        #expect(!FileManager.default.fileExists(atPath: stopped.path))
        #expect(FileManager.default.fileExists(atPath: running.path))
        #expect(try home.registry.directories() == [running])
    }

    @Test("`fleet prune` removes what a fleet writes, and no other file of its run directory")
    func others() async throws {
        let directory = try home.directory("shared", isRegistered: true)
        let own = [
            "controller.sqlite", "controller.sqlite-wal", "witness", "seed.17.new", "node-1.lock",
            "shed.serving", "gateway-url", "clients.sock", "journal/000001.journal",
            "journal/000002.journal.7.making", "memory/shed.entries", "memory/shed.entries.witness",
            "memory/shed.entries.new", "sessions/af63dc4c8601ec8c.json", "logs/shed.log",
            "logs/gateway.log.3", "network/peers.json", "authority-key.pem",
        ]
        let others = [
            "yarn.lock", "notes.txt", "README.new", "journal/2026.md", "memory/photo.entries.jpg",
            "logs/web.log", "sessions/mine.json", "work/controller.sqlite",
        ]
        try createFiles(own + others, in: directory)
        let output = try await run(["prune", "--yes"])
        let left = try FileManager.default.subpathsOfDirectory(atPath: directory.path)
        let directories = ["journal", "logs", "memory", "sessions", "work"]
        #expect(left.sorted() == (others + directories).sorted())
        #expect(
            output.talk.contains(
                "\(directory) stays with other files: README.new, journal, logs, memory, notes.txt, 3 more"))
        #expect(try home.registry.directories().isEmpty)
    }

    @Test("`fleet prune` never changes the content of a file that only looks like a lock of a fleet")
    func foreignLock() async throws {
        let directory = try home.directory("shared", isRegistered: true)
        let lock = "\(directory)/yarn.lock"
        #expect(FileManager.default.createFile(atPath: lock, contents: Data("left-pad".utf8)))
        try await run(["prune", "--yes"])
        #expect(FileManager.default.contents(atPath: lock) == Data("left-pad".utf8))
    }

    @Test("a page is opened only on a desktop, and with a program for it")
    func opener() {
        let path = "/nowhere:relative"
        #expect(OpenCommand.opener(in: ["PATH": path]) == nil)
        #expect(OpenCommand.opener(in: ["PATH": path, "DISPLAY": ":0"]) == nil)
    }
}
