import ArgumentParser
import FleetProtocol
import Foundation
import Glibc
import ProcessSupport
import Synchronization
import Testing

@testable import fleet

@Suite("fleet restore", .timeLimit(.minutes(1)))
struct RestoreTests {
    private let place: TemporaryRunDirectory
    private let transcript = Transcript()
    private var backup: String { "\(place.directory.path)/backup" }
    private var target: String { "\(place.directory.path)/fleet" }

    /// A backup of two files.
    init() throws {
        place = try TemporaryRunDirectory()
        let directory = RunDirectory(path: backup)
        try directory.makePrivate()
        try directory.createMemoryDirectory()
        var files: [BackupManifest.File] = []
        for (name, text) in [("controller.sqlite", "store"), ("memory/node-1.entries", "memory")] {
            try Data(text.utf8).write(to: URL(filePath: "\(backup)/\(name)"))
            let copy = try #require(try FileCopy.described("\(backup)/\(name)"))
            files.append(.init(name: name, bytes: copy.bytes, sha256: copy.digest))
        }
        try write(BackupManifest(madeAt: "2026-11-23T12:00:00.000Z", files: files))
    }

    private func write(_ manifest: BackupManifest) throws {
        try Data(manifest.content).write(to: URL(filePath: "\(backup)/backup.json"))
    }

    @discardableResult
    private func restore(
        _ options: String..., status: fleet.ExitStatus = .done,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws -> Transcript {
        let line = ["restore", backup, "--run-dir", target] + options
        return try await Fleet.output(of: line, status: status, sourceLocation: sourceLocation)
    }

    private func text(of name: String) throws -> String {
        try String(contentsOfFile: "\(target)/\(name)", encoding: .utf8)
    }

    private func replace(_ name: String, by text: String) throws {
        try Data(text.utf8).write(to: URL(filePath: "\(backup)/\(name)"))
    }

    /// A restore is refused with that text, and its target does not exist after it.
    private func expectRefused(
        _ text: String, _ status: fleet.ExitStatus = .refused,
        sourceLocation: SourceLocation = #_sourceLocation
    ) async throws {
        let talk = try await restore(status: status, sourceLocation: sourceLocation).talk
        #expect(talk.contains(text), "\(talk)", sourceLocation: sourceLocation)
        let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(!names.contains { $0.hasPrefix("fleet") }, sourceLocation: sourceLocation)
    }

    @Test("a directory of a backup that is a symbolic link is refused, and nothing is restored")
    func linked() async throws {
        let elsewhere = "\(place.directory.path)/elsewhere"
        try FileManager.default.moveItem(atPath: "\(backup)/memory", toPath: elsewhere)
        try #require(symlink(elsewhere, "\(backup)/memory") == 0)
        try await expectRefused("\(backup)/memory is a symbolic link", .notPermitted)
    }

    @Test("a restore copies each file to its place, also into an empty directory")
    func whole() async throws {
        try RunDirectory(path: target).makePrivate()
        let output = try await restore()
        #expect(try text(of: "controller.sqlite") == "store")
        #expect(try text(of: "memory/node-1.entries") == "memory")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(names.filter { $0.hasPrefix("fleet") } == ["fleet"], "nothing was moved away")
        #expect(
            output.results == [
                "restored \(target) from the backup of 2026-11-23T12:00:00.000Z; start it with `fleet up`"
            ])
        try RunDirectory(path: target).check()
    }

    @Test("a backup with a missing or different file is refused by name, and nothing changes")
    func damaged() async throws {
        try replace("memory/node-1.entries", by: "memorY")
        try await expectRefused("\(backup)/memory/node-1.entries is damaged")
        try FileManager.default.removeItem(atPath: "\(backup)/controller.sqlite")
        try await expectRefused("\(backup)/controller.sqlite is damaged: it is missing")
    }

    @Test("a directory without a manifest, or an incomplete backup, is refused")
    func incomplete() async throws {
        try FileManager.default.removeItem(atPath: "\(backup)/backup.json")
        try await expectRefused("\(backup)/backup.json is missing")
    }

    @Test(
        "a manifest with paths outside the backup is refused",
        arguments: ["../x", "/etc/passwd", "a//b", "", "./a"])
    func elsewhere(name: String) async throws {
        try write(BackupManifest(madeAt: "", files: [.init(name: name, bytes: 1, sha256: "")]))
        try await expectRefused("backup.json is damaged")
    }

    @Test("a manifest of a later format is refused")
    func later() async throws {
        let text = try String(contentsOfFile: "\(backup)/backup.json", encoding: .utf8)
        let changed = text.replacing("\"format\" : 1", with: "\"format\" : 2")
        #expect(changed != text)
        try replace("backup.json", by: changed)
        try await expectRefused("has format 2")
    }

    @Test("a run directory with files is not replaced without --replace, which moves it away")
    func former() async throws {
        _ = try makeFormer()
        #expect(try await restore(status: .refused).talk.contains("--replace"))
        #expect(try text(of: "controller.sqlite") == "former")
        try await restore("--replace")
        #expect(try text(of: "controller.sqlite") == "store")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        let moved = try #require(names.first { $0.hasPrefix("fleet.before-") })
        let store = "\(place.directory.path)/\(moved)/controller.sqlite"
        #expect(try String(contentsOfFile: store, encoding: .utf8) == "former")
    }

    @Test("a restore into a run directory with a running process is refused, also with --replace")
    func running() async throws {
        let former = RunDirectory(path: target)
        try former.makePrivate()
        let lock = try FileLock(path: former.lockFile(for: "node-1"))
        let output = try await restore("--replace", status: .refused)
        #expect(output.talk.contains("node-1.lock is held by process"))
        lock.close()
    }

    /// Surroundings that run a closure whenever progress is printed.
    private func surroundings(atProgress act: @escaping @Sendable () -> Void) -> Surroundings {
        var surroundings = Surroundings.test(transcript)
        surroundings.terminal.showProgress = { if $0 != nil { act() } }
        return surroundings
    }

    private func reader(in surroundings: Surroundings) -> BackupReader {
        BackupReader(
            source: RunDirectory(path: backup), target: RunDirectory(path: target),
            surroundings: surroundings)
    }

    private func makeFormer() throws -> RunDirectory {
        let former = RunDirectory(path: target)
        try former.makePrivate()
        try Data("former".utf8).write(to: URL(filePath: former.storeFile))
        return former
    }

    @Test(
        "a fleet cannot start in the run directory while a restore replaces it", arguments: FleetLock.allCases
    )
    func held(lock: FleetLock) throws {
        let former = try makeFormer()
        let calls = Mutex(0)
        let surroundings = surroundings {
            // Takes the lock as the first step of a fleet's process.
            if let lock = try? FileLock(path: former.lockFile(for: lock.rawValue)) {
                calls.withLock { $0 += 1 }
                lock.close()
            }
        }
        _ = try reader(in: surroundings).restore(replacing: true)
        #expect(calls.withLock { $0 } == 0)
        try FileLock(path: former.lockFile(for: lock.rawValue)).close()
    }

    /// A process that every fleet needs.
    enum FleetLock: String, CaseIterable, Sendable {
        case supervisor, controller
    }

    @Test("a second restore to the same place is refused, and the first keeps its files")
    func twoRestores() throws {
        let second = reader(in: .test(Transcript()))
        let refusals = Mutex<[String]>([])
        let first = surroundings {
            do {
                _ = try second.restore(replacing: false)
                refusals.withLock { $0.append("") }
            } catch {
                refusals.withLock { $0.append("\(error)") }
            }
        }
        _ = try reader(in: first).restore(replacing: false)
        #expect(try text(of: "controller.sqlite") == "store")
        #expect(try text(of: "memory/node-1.entries") == "memory")
        let reported = refusals.withLock { $0 }
        #expect(reported.count == 2)
        #expect(
            reported.allSatisfy { $0.contains("supervisor.lock is held by process \(getpid())") },
            "\(reported)")
    }

    @Test("a restore that fails at the last step leaves the former run directory in place")
    func failing() throws {
        _ = try makeFormer()
        let draft = "\(target).restoring"
        var surroundings = Surroundings.test(transcript)
        // The time is read when all files are copied.
        surroundings.now = {
            _ = try? FileManager.default.removeItem(atPath: draft)
            return SystemClock().now()
        }
        #expect(throws: RuntimeError.self) { try reader(in: surroundings).restore(replacing: true) }
        #expect(try text(of: "controller.sqlite") == "former")
    }

    @Test("a restore replaces the run directory in one step: one of the two always exists")
    func oneStep() throws {
        let former = try makeFormer()
        let isOver = Mutex(false)
        let gaps = Mutex(0)
        let ended = DispatchSemaphore(value: 0)
        DispatchQueue(label: "watch").async {
            while !isOver.withLock({ $0 }) {
                if access(former.storeFile, F_OK) != 0 { gaps.withLock { $0 += 1 } }
            }
            ended.signal()
        }
        let start = SystemClock().now()
        for number in 0..<50 {
            var surroundings = Surroundings.test(transcript)
            // Each replacement moves the previous directory to a name with the time.
            surroundings.now = { start.advanced(by: .seconds(number)) }
            _ = try reader(in: surroundings).restore(replacing: true)
        }
        isOver.withLock { $0 = true }
        ended.wait()
        #expect(gaps.withLock { $0 } == 0)
    }
}
