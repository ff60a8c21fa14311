import FleetProtocol
import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// A start of a fleet from a run directory with a damaged file.
    ///
    /// The environment variable `SENSIBUS_DAMAGE` is the number of attempts.
    @Suite("A damaged run directory", .timeLimit(.minutes(60)))
    struct DamageTests {
        private static let tries =
            ProcessInfo.processInfo.environment["SENSIBUS_DAMAGE"].flatMap(Int.init) ?? 4

        @Test(
            "after damage to any file, a start is refused with the file's name, or all answers are unchanged")
        func campaign() async throws {
            try await Lab.withLab { lab in
                let fleet = try await KilledFleet(in: lab)
                #expect(fleet.contents.outcomes.count >= 50 && fleet.contents.devices.count == 12)
                let files = try fleet.files
                for file in [
                    "controller.sqlite-wal", "journal/000001.journal", "memory/node-2.entries", "witness",
                ] {
                    #expect(files.contains(file), "\(file)")
                }
                var generator = SeededGenerator(seed: 22)
                var faults = 0
                for number in 0..<Self.tries {
                    // With few attempts, files are chosen at random; with many, each file gets as many.
                    let file = files[
                        Self.tries < files.count
                            ? Int.random(in: files.indices, using: &generator) : number % files.count]
                    let damage = try #require(FileDamage.random.randomElement(using: &generator))
                    let place = Double.random(in: 0..<1, using: &generator)
                    let fault = try await fleet.fault(after: damage, of: file, at: place)
                    #expect(fault == nil)
                    faults += fault == nil ? 0 : 1
                }
                try SecurityFigure(
                    under: "\(Self.tries) damaged run directories",
                    bound: "every ID is answered as before, or a refusal names the file",
                    seen: "\(faults) with another answer", isMet: faults == 0
                ).report()
            }
        }
    }
}
