import ControllerCore
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport
import Testing

@testable import controller

@Suite("Backups of damaged storage", .timeLimit(.minutes(10)))
struct BackupDamageTests {
    /// The number of random damages.
    private static let tries = ProcessInfo.processInfo.environment["SENSIBUS_DAMAGE"].flatMap(Int.init) ?? 40

    private let sample: StorageSample

    init() throws {
        sample = try StorageSample()
    }

    /// The sample's files have their names in a run directory.
    private static func name(of file: String) -> String {
        file.hasPrefix("store.sqlite") ? "controller.sqlite" + file.dropFirst("store.sqlite".count) : file
    }

    /// The run directory of a killed fleet, and an empty one for its backup.
    private func begin() throws -> (source: RunDirectory, target: RunDirectory) {
        let (source, target) = (RunDirectory(path: sample.makePath()), RunDirectory(path: sample.makePath()))
        for directory in [source, target] { try directory.makePrivate() }
        try FileManager.default.createDirectory(
            atPath: source.journalDirectory, withIntermediateDirectories: false)
        for file in try sample.files {
            try FileManager.default.copyItem(
                atPath: "\(sample.original)/\(file)", toPath: "\(source)/\(Self.name(of: file))")
        }
        return (source, target)
    }

    /// The state of a controller that starts from a backup.
    private func restored(from target: RunDirectory) throws -> StorageSample.Content {
        var content = try StorageSample.read(target.path, storeName: "controller.sqlite")
        content.horizon = nil
        return content
    }

    /// The fault of a backup after a file was damaged; nil if it is refused, or complete.
    private func fault(after damage: FileDamage, of file: String, at place: Double) throws -> String? {
        let (source, target) = try begin()
        defer {
            for path in [source.path, target.path] { try? FileManager.default.removeItem(atPath: path) }
        }
        let file = Self.name(of: file)
        try damage.strike("\(source)/\(file)", at: place)
        do {
            try StorageBackup(of: source, in: target).make()
        } catch {
            return error.description.contains("\(source)/\(FileDamage.reportedName(file))")
                ? nil : "\(damage) \(file) at \(place) is refused without its name: \(error)"
        }
        let content = try restored(from: target)
        return content == sample.content
            ? nil
            : "\(damage) \(file) at \(place): \(content.ends.count) ends, \(content.users.count) users, "
                + "\(content.keys.count) keys"
    }

    @Test("a backup of undamaged storage is complete, and changes no file")
    func undamaged() throws {
        let (source, target) = try begin()
        let names = try FileDamage.files(in: source.path).filter { !$0.hasSuffix("-shm") }
        let before = try names.map { try Data(contentsOf: URL(filePath: "\(source)/\($0)")) }
        try StorageBackup(of: source, in: target).make()
        #expect(try names.map { try Data(contentsOf: URL(filePath: "\(source)/\($0)")) } == before)
        #expect(try restored(from: target) == sample.content)
    }

    @Test(
        "a backup without a lost write-ahead log is refused with the file's name",
        arguments: FileDamage.allCases)
    func logs(damage: FileDamage) throws {
        for file in try sample.files where file.hasSuffix("-wal") {
            let fault = try fault(after: damage, of: file, at: 0.6)
            #expect(fault == nil)
        }
    }

    @Test("a backup with a missing file is refused with the file's name")
    func missing() throws {
        for file in try sample.files where !file.hasSuffix("-shm") {
            let fault = try fault(after: .removed, of: file, at: 0)
            #expect(fault == nil)
        }
    }

    @Test("a backup after random damage is refused with the file's name, or is complete")
    func campaign() throws {
        var generator = SeededGenerator(seed: 7)
        let files = try sample.files
        for number in 0..<Self.tries {
            let file = files[number % files.count]
            let damage = try #require(FileDamage.random.randomElement(using: &generator))
            let place = Double.random(in: 0..<1, using: &generator)
            let fault = try fault(after: damage, of: file, at: place)
            #expect(fault == nil)
        }
    }

    @Test("a backup whose store was replaced by an older one before its first start is refused")
    func storeWentBack() throws {
        let (source, target) = try begin()
        try FileManager.default.copyItem(
            atPath: "\(source)/controller.sqlite", toPath: "\(sample.scratch.path)/earlier.sqlite")
        try StorageBackup(of: source, in: target).make()
        try FileManager.default.removeItem(atPath: target.storeFile)
        try FileManager.default.copyItem(
            atPath: "\(sample.scratch.path)/earlier.sqlite", toPath: target.storeFile)
        let error = #expect(throws: StorageError.self) { try restored(from: target) }
        #expect(error?.description.hasPrefix("\(target.storeFile) is damaged") == true)
    }
}
