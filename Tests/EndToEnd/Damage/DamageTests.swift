import FleetTime
import Foundation
import TestSupport
import Testing

extension EndToEnd {
    /// What a start makes of a run directory in which something is damaged.
    ///
    /// The environment's `SENSIBUS_DAMAGE` is how often.
    @Suite("A damaged run directory")
    struct DamageTests {
        private static let tries =
            ProcessInfo.processInfo.environment["SENSIBUS_DAMAGE"].flatMap(Int.init) ?? 4

        @Test(
            "is refused by the file's name, or every answer is as before: whatever file it is",
            .timeLimit(.minutes(60)))
        func campaign() async throws {
            try await Lab.withLab { lab in
                let fleet = try await KilledFleet(in: lab)
                #expect(fleet.said.outcomes.count >= 50 && fleet.said.devices.count == 12)
                let files = try fleet.files
                for file in [
                    "controller.sqlite-wal", "journal/000001.sqlite-wal", "memory/node-2.entries", "witness",
                ] {
                    #expect(files.contains(file), "\(file)")
                }
                var generator = SeededGenerator(seed: 22)
                for number in 0..<Self.tries {
                    // Where tries are few, files are any; where they are many, each has as many.
                    let file = files[
                        Self.tries < files.count
                            ? Int.random(in: files.indices, using: &generator) : number % files.count]
                    let damage = try #require(FileDamage.random.randomElement(using: &generator))
                    let place = Double.random(in: 0..<1, using: &generator)
                    let fault = try await fleet.fault(after: damage, of: file, at: place)
                    #expect(fault == nil)
                }
            }
        }
    }
}
