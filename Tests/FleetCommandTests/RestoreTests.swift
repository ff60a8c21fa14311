import ArgumentParser
import Foundation
import Runtime
import Testing

@testable import fleet

@Suite("Restoring a backup", .timeLimit(.minutes(1)))
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
        try Data(manifest.text.utf8).write(to: URL(filePath: "\(backup)/backup.json"))
    }

    private func restore(_ options: String...) async throws -> fleet.ExitStatus {
        let line = ["restore", backup, "--run-dir", target] + options
        let command = try #require(try Fleet.parseAsRoot(line) as? any FleetCommand)
        return await command.status(in: .test(transcript))
    }

    private func text(of name: String) throws -> String {
        try String(contentsOfFile: "\(target)/\(name)", encoding: .utf8)
    }

    /// Nothing is there but what was there before.
    private func expectUntouched() throws {
        let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        #expect(!names.contains { $0.hasPrefix("fleet") })
    }

    @Test("puts each file in its place")
    func whole() async throws {
        #expect(try await restore() == .done, "\(transcript.talk)")
        #expect(try text(of: "controller.sqlite") == "store")
        #expect(try text(of: "memory/node-1.entries") == "memory")
        #expect(
            transcript.results == [
                "restored \(target) from the backup of 2026-11-23T12:00:00.000Z; start it with `fleet up`"
            ]
        )
        try RunDirectory(path: target).check()
    }

    @Test("refuses a backup with a missing or a different file, names the file, and changes nothing")
    func damaged() async throws {
        try Data("memorY".utf8).write(to: URL(filePath: "\(backup)/memory/node-1.entries"))
        #expect(try await restore() == .refused)
        #expect(transcript.talk.contains("\(backup)/memory/node-1.entries is damaged"))
        try expectUntouched()
        try FileManager.default.removeItem(atPath: "\(backup)/controller.sqlite")
        #expect(try await restore() == .refused)
        #expect(transcript.talk.contains("\(backup)/controller.sqlite is damaged: it is missing"))
        try expectUntouched()
    }

    @Test("refuses a directory without a list of files, and one that was not completed")
    func incomplete() async throws {
        try FileManager.default.removeItem(atPath: "\(backup)/backup.json")
        #expect(try await restore() == .refused)
        #expect(transcript.talk.contains("\(backup)/backup.json is missing"))
        try expectUntouched()
    }

    @Test("refuses a list that names files elsewhere", arguments: ["../x", "/etc/passwd", "a//b", "", "./a"])
    func elsewhere(name: String) async throws {
        try write(BackupManifest(madeAt: "", files: [.init(name: name, bytes: 1, sha256: "")]))
        #expect(try await restore() == .refused)
        #expect(transcript.talk.contains("backup.json is damaged"))
        try expectUntouched()
    }

    @Test("refuses the list of a later form")
    func later() async throws {
        let text = try String(contentsOfFile: "\(backup)/backup.json", encoding: .utf8)
        let changed = text.replacingOccurrences(of: "\"format\" : 1", with: "\"format\" : 2")
        #expect(changed != text)
        try Data(changed.utf8).write(to: URL(filePath: "\(backup)/backup.json"))
        #expect(try await restore() == .refused)
        #expect(transcript.talk.contains("is of form 2"))
        try expectUntouched()
    }

    @Test("leaves a run directory alone that has files in it, and moves it away when that is wanted")
    func former() async throws {
        let former = RunDirectory(path: target)
        try former.makePrivate()
        try Data("former".utf8).write(to: URL(filePath: former.storeFile))
        #expect(try await restore() == .refused)
        #expect(transcript.talk.contains("--replace"))
        #expect(try text(of: "controller.sqlite") == "former")
        #expect(try await restore("--replace") == .done)
        #expect(try text(of: "controller.sqlite") == "store")
        let names = try FileManager.default.contentsOfDirectory(atPath: place.directory.path)
        let moved = try #require(names.first { $0.hasPrefix("fleet.before-") })
        let store = "\(place.directory.path)/\(moved)/controller.sqlite"
        #expect(try String(contentsOfFile: store, encoding: .utf8) == "former")
    }

    @Test("refuses a run directory in which a process runs, also with --replace")
    func running() async throws {
        let former = RunDirectory(path: target)
        try former.makePrivate()
        let lock = try FileLock(path: former.lockFile(for: "node-1"))
        #expect(try await restore("--replace") == .refused)
        #expect(transcript.talk.contains("node-1.lock is held by process"))
        lock.close()
    }
}
