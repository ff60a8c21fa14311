import ControllerCore
import FleetProtocol
import Foundation
import TestSupport
import Testing

@testable import controller

@Suite("Damaged storage", .timeLimit(.minutes(10)))
struct DamageTests {
    /// The number of random damages.
    private static let tries = ProcessInfo.processInfo.environment["SENSIBUS_DAMAGE"].flatMap(Int.init) ?? 40

    private let sample: StorageSample

    init() throws {
        sample = try StorageSample()
    }

    @Test("a killed controller's storage is read completely")
    func undamaged() throws {
        #expect(sample.content.ends.count >= 100)
        #expect(try sample.files.contains("journal/000003.journal"))
        #expect(sample.content.users.count == 2 && sample.content.keys.count == 1)
        #expect(try StorageSample.read(sample.copy()) == sample.content)
    }

    /// The fault of a start after a file was damaged; nil if it is refused, or reads everything.
    private func fault(after damage: FileDamage, of file: String, at place: Double) throws -> String? {
        let directory = try sample.copy()
        defer { try? FileManager.default.removeItem(atPath: directory) }
        try damage.strike("\(directory)/\(file)", at: place)
        do {
            let content = try StorageSample.read(directory)
            return content == sample.content
                ? nil
                : "\(damage) \(file) at \(place): \(content.ends.count) ends, "
                    + "\(content.users.count) users, \(content.keys.count) keys"
        } catch let error as StorageError {
            return error.description.contains("/\(FileDamage.reportedName(file))")
                ? nil : "\(damage) \(file) at \(place) is refused without its name: \(error)"
        }
    }

    @Test(
        "a start with a lost write-ahead log is refused with the file's name", arguments: FileDamage.allCases)
    func logs(damage: FileDamage) throws {
        for file in try sample.files where file.hasSuffix("-wal") {
            let fault = try fault(after: damage, of: file, at: 0.6)
            #expect(fault == nil)
        }
    }

    @Test("a start after random damage is refused with the file's name, or every answer is unchanged")
    func campaign() throws {
        var generator = SeededGenerator(seed: 22)
        let files = try sample.files
        for number in 0..<Self.tries {
            let file = files[number % files.count]
            let damage = try #require(FileDamage.random.randomElement(using: &generator))
            let place = Double.random(in: 0..<1, using: &generator)
            let fault = try fault(after: damage, of: file, at: place)
            #expect(fault == nil)
        }
    }
}
