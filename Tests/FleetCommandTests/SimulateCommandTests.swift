import ArgumentParser
import Synchronization
import Testing

@testable import fleet

@Suite("fleet simulate")
struct SimulateCommandTests {
    @Test("runs many seeds at once, and counts what each of them counts alone")
    func counts() async throws {
        let together = try await Self.counts(of: ["--seed", "5", "--seeds", "40"])
        var alone = [Int](repeating: 0, count: together.count)
        for seed in 5..<45 {
            let one = try await Self.counts(of: ["--seed", "\(seed)"])
            for (place, count) in one.enumerated() { alone[place] += count }
        }
        #expect(together == alone)
        #expect(together.count == 6)
        #expect(together.first == 40)
    }

    @Test("says how many steps a core takes in a second")
    func rate() async throws {
        let line = try await Self.firstLine(of: ["--seeds", "2"])
        let rate = try #require(line.firstMatch(of: /([0-9]+) steps a second of one core's time$/))
        #expect(Int(rate.1) ?? 0 > 0)
    }

    @Test(
        "tells of what it runs side by side in its order, and begins no more than it may", arguments: [1, 7])
    func order(ahead: Int) async {
        let begun = Mutex(0)
        var told: [Int] = []
        await SideBySide.forEach(200, ahead: ahead) { place in
            begun.withLock { $0 += 1 }
            // The first takes longest.
            return (0..<(200 - place) * 100).reduce(place) { $0 ^ $1 ^ $1 }
        } then: { place in
            #expect(begun.withLock { $0 } <= told.count + ahead)
            told.append(place)
        }
        #expect(told == Array(0..<200))
    }

    /// Seeds, broken ones, steps, faults, requests, and how many were applied.
    private static func counts(of arguments: [String]) async throws -> [Int] {
        let line = try await firstLine(of: arguments)
        let end = try #require(line.firstRange(of: ", in ")?.lowerBound)
        return line[..<end].matches(of: /[0-9]+/).compactMap { Int($0.0) }
    }

    private static func firstLine(of arguments: [String]) async throws -> String {
        let transcript = Transcript()
        let command = try #require(try Fleet.parseAsRoot(["simulate"] + arguments) as? any FleetCommand)
        #expect(try await command.run(in: .test(transcript)) == .done)
        return String(try #require(transcript.results.first?.split(separator: "\n").first))
    }
}
