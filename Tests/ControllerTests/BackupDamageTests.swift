import ControllerCore
import FleetTime
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
    private let source: RunDirectory
    private let target: RunDirectory

    init() throws {
        sample = try StorageSample()
        source = RunDirectory(path: "\(sample.scratch.path)/source")
        target = RunDirectory(path: "\(sample.scratch.path)/target")
    }

    /// The sample's files have their names in a run directory.
    private static func name(of file: String) -> String {
        file.hasPrefix("store.sqlite") ? "controller.sqlite" + file.dropFirst("store.sqlite".count) : file
    }

    /// The run directory of a killed fleet, and an empty one for its backup.
    private func begin() throws {
        for directory in [source, target] {
            if FileManager.default.fileExists(atPath: directory.path) {
                try FileManager.default.removeItem(atPath: directory.path)
            }
            try directory.makePrivate()
        }
        try FileManager.default.createDirectory(
            atPath: source.journalDirectory, withIntermediateDirectories: false)
        for file in try sample.files {
            try FileManager.default.copyItem(
                atPath: "\(sample.original)/\(file)", toPath: "\(source)/\(Self.name(of: file))")
        }
    }

    /// The state of a controller that starts from the backup.
    private func restored() throws -> StorageSample.Content {
        var content = try StorageSample.read(target.path, storeName: "controller.sqlite")
        content.horizon = nil
        return content
    }

    /// The fault of a backup after a file was damaged; nil if it is refused, or complete.
    private func fault(after damage: FileDamage, of file: String, at place: Double) throws -> String? {
        try begin()
        let file = Self.name(of: file)
        try damage.strike("\(source)/\(file)", at: place)
        do {
            try StorageBackup(of: source, in: target).make()
        } catch {
            return error.description.contains("\(source)/\(FileDamage.reportedName(file))")
                ? nil : "\(damage) \(file) at \(place) is refused without its name: \(error)"
        }
        let content = try restored()
        return content == sample.content
            ? nil
            : "\(damage) \(file) at \(place): \(content.ends.count) ends, \(content.users.count) users, "
                + "\(content.keys.count) keys"
    }

    @Test("a backup of undamaged storage is complete, and changes no file")
    func undamaged() throws {
        try begin()
        let names = try FileDamage.files(in: source.path).filter { !$0.hasSuffix("-shm") }
        let before = try names.map { try Data(contentsOf: URL(filePath: "\(source)/\($0)")) }
        try StorageBackup(of: source, in: target).make()
        #expect(try names.map { try Data(contentsOf: URL(filePath: "\(source)/\($0)")) } == before)
        #expect(try restored() == sample.content)
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
        try begin()
        try FileManager.default.copyItem(
            atPath: "\(source)/controller.sqlite", toPath: "\(sample.scratch.path)/earlier.sqlite")
        try StorageBackup(of: source, in: target).make()
        try FileManager.default.removeItem(atPath: target.storeFile)
        try FileManager.default.copyItem(
            atPath: "\(sample.scratch.path)/earlier.sqlite", toPath: target.storeFile)
        let error = #expect(throws: StorageError.self) { try restored() }
        #expect(error?.description.hasPrefix("\(target.storeFile) is damaged") == true)
    }
}
