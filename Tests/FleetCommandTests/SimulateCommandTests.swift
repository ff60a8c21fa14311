import ArgumentParser
import Synchronization
import Testing

@testable import fleet

@Suite("fleet simulate")
struct SimulateCommandTests {
    @Test("the totals of parallel seeds are the sums of single seeds")
    func counts() async throws {
        let together = try await Self.counts(of: ["--seed", "5", "--seeds", "10"])
        var alone = [Int](repeating: 0, count: together.count)
        for seed in 5..<15 {
            let one = try await Self.counts(of: ["--seed", "\(seed)"])
            for (place, count) in one.enumerated() { alone[place] += count }
        }
        #expect(together == alone)
        #expect(together.count == 6)
        #expect(together.first == 10)
    }

    @Test("the first line of the totals has the steps per second of one core")
    func rate() async throws {
        let line = try await Self.firstLine(of: ["--seeds", "2"])
        let rate = try #require(line.firstMatch(of: /([0-9]+) steps a second of one core's time$/))
        #expect(Int(rate.1) ?? 0 > 0)
    }

    @Test("parallel results arrive in order, with a bounded number of runs ahead", arguments: [1, 7])
    func order(ahead: Int) async throws {
        let begun = Mutex(0)
        var received: [Int] = []
        try await SideBySide.forEach(200, ahead: ahead) { place in
            begun.withLock { $0 += 1 }
            // The first run takes the longest.
            return (0..<(200 - place) * 100).reduce(place) { $0 ^ $1 ^ $1 }
        } then: { place in
            #expect(begun.withLock { $0 } <= received.count + ahead)
            received.append(place)
        }
        #expect(received == Array(0..<200))
    }

    /// The numbers of seeds, failed seeds, steps, faults, requests and applied requests.
    private static func counts(of arguments: [String]) async throws -> [Int] {
        let line = try await firstLine(of: arguments)
        let end = try #require(line.firstRange(of: ", in ")?.lowerBound)
        return line[..<end].matches(of: /[0-9]+/).compactMap { Int($0.0) }
    }

    private static func firstLine(of arguments: [String]) async throws -> String {
        let output = try await Fleet.output(of: ["simulate"] + arguments)
        return String(try #require(output.results.first?.split(separator: "\n").first))
    }
}
