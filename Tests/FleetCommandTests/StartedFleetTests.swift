import ArgumentParser
import Foundation
import ProcessSupport
import Testing
import UserText

@testable import fleet

@Suite("Fleets of a user", .timeLimit(.minutes(1)))
struct StartedFleetTests {
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

        func directory(_ name: String) throws -> RunDirectory {
            let directory = RunDirectory(path: "\(path)/\(name)")
            try directory.create()
            try FileLock(path: directory.lockFile(for: "supervisor")).close()
            return directory
        }

        var registry: FleetRegistry {
            get throws { try #require(FleetRegistry(environment: ["HOME": path])) }
        }
    }

    /// Runs a command with a home directory; standard input has that line.
    private func run(
        _ line: [String], _ home: Home, answer: String? = nil
    ) async throws -> (status: fleet.ExitStatus, transcript: Transcript) {
        let transcript = Transcript()
        var surroundings = Surroundings.test(transcript)
        surroundings.environment = ["HOME": home.path]
        surroundings.terminal.readLine = { answer }
        let command = try #require(try Fleet.parseAsRoot(line) as? any FleetCommand)
        return (await command.status(in: surroundings), transcript)
    }

    @Test("a registry lists each added run directory once, and forgets removed ones")
    func registry() throws {
        let home = try Home()
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
        let home = try Home()
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
        let home = try Home()
        let (stopped, open) = (try home.directory("stopped"), try home.directory("open"))
        for directory in [stopped, open] { try home.registry.add(directory) }
        try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: open.path)
        let (status, output) = try await run(["ls", "-o", "json"], home)
        #expect(status == .done)
        #expect(output.results.count == 2)
        #expect(output.results.contains { $0.contains(stopped.path) && $0.contains(#""state":"stopped""#) })
        #expect(output.results.contains { $0.contains(open.path) && $0.contains(#""state":"unsafe""#) })
        #expect(try await run(["ls"], home).transcript.results[0].hasPrefix("RUN DIR "))
    }

    @Test("`fleet reset` removes the state of a fleet after a confirmation, and leaves its logs")
    func reset() async throws {
        let home = try Home()
        let directory = try home.directory("fleet")
        for name in ["journal", "memory", "logs"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
        for name in ["controller.sqlite", "session.json", "gateway-port"] {
            #expect(FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil))
        }
        let line = ["reset", "--run-dir", directory.path]
        for answer in [nil, "n", ""] {
            #expect(try await run(line, home, answer: answer).status == .refused)
        }
        #expect(FileManager.default.fileExists(atPath: directory.storeFile))
        #expect(try await run(line, home, answer: "y").status == .done)
        let left = try FileManager.default.contentsOfDirectory(atPath: directory.path).sorted()
        #expect(left == ["controller.lock", "gateway-port", "logs", "supervisor.lock"])
        let (status, output) = try await run(line, home)
        #expect(status == .done)
        #expect(output.talk.contains("no state to remove"))
    }

    @Test("`fleet reset` refuses while a process of the fleet runs", arguments: ["supervisor", "controller"])
    func running(process: String) async throws {
        let home = try Home()
        let directory = try home.directory("fleet")
        #expect(FileManager.default.createFile(atPath: directory.storeFile, contents: nil))
        let lock = try FileLock(path: directory.lockFile(for: process))
        defer { lock.close() }
        let (status, output) = try await run(["reset", "--yes", "--run-dir", directory.path], home)
        #expect(status == .refused)
        #expect(output.talk.contains("`fleet down`"))
        #expect(FileManager.default.fileExists(atPath: directory.storeFile))
    }

    @Test("`fleet prune` removes stopped fleets after a confirmation, and no running one")
    func prune() async throws {
        let home = try Home()
        let (stopped, running) = (try home.directory("stopped"), try home.directory("running"))
        for directory in [stopped, running] { try home.registry.add(directory) }
        let lock = try FileLock(path: running.lockFile(for: "supervisor"))
        defer { lock.close() }
        let (refusal, question) = try await run(["prune"], home, answer: "no")
        #expect(refusal == .refused)
        #expect(question.results == [stopped.path])
        #expect(FileManager.default.fileExists(atPath: stopped.path))
        #expect(try await run(["prune", "--yes"], home).status == .done)
        #expect(!FileManager.default.fileExists(atPath: stopped.path))
        #expect(FileManager.default.fileExists(atPath: running.path))
        #expect(try home.registry.directories() == [running])
    }

    @Test("`fleet prune` removes what a fleet writes, and no other file of its run directory")
    func others() async throws {
        let home = try Home()
        let directory = try home.directory("shared")
        try home.registry.add(directory)
        let own = [
            "controller.sqlite", "controller.sqlite-wal", "witness", "seed.17.new", "node-1.lock",
            "shed.serving", "gateway-url", "clients.sock", "journal/000001.journal",
            "journal/000002.journal.7.making", "memory/shed.entries", "memory/shed.entries.witness",
            "memory/shed.entries.new", "sessions/af63dc4c8601ec8c.json", "logs/shed.log",
            "logs/gateway.log.3", "network/peers.json",
        ]
        let others = [
            "yarn.lock", "notes.txt", "README.new", "journal/2026.md", "memory/photo.entries.jpg",
            "logs/web.log", "sessions/mine.json", "work/controller.sqlite",
        ]
        for name in ["journal", "memory", "sessions", "logs", "network", "work"] {
            try FileManager.default.createDirectory(
                atPath: "\(directory)/\(name)", withIntermediateDirectories: true)
        }
        for name in own + others {
            #expect(FileManager.default.createFile(atPath: "\(directory)/\(name)", contents: nil))
        }
        let (status, output) = try await run(["prune", "--yes"], home)
        #expect(status == .done)
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
        let home = try Home()
        let directory = try home.directory("shared")
        try home.registry.add(directory)
        let lock = "\(directory)/yarn.lock"
        #expect(FileManager.default.createFile(atPath: lock, contents: Data("left-pad".utf8)))
        #expect(try await run(["prune", "--yes"], home).status == .done)
        #expect(FileManager.default.contents(atPath: lock) == Data("left-pad".utf8))
    }

    @Test("a page is opened only on a desktop, and with a program for it")
    func opener() {
        let path = "/nowhere:relative"
        #expect(OpenCommand.opener(in: ["PATH": path]) == nil)
        #expect(OpenCommand.opener(in: ["PATH": path, "DISPLAY": ":0"]) == nil)
    }
}
