import ArgumentParser
import LoadCore
import TestSupport
import Testing

@testable import fleet

@Suite("fleet load --self-test", .timeLimit(.minutes(1)))
struct SelfTestTests {
    /// Runs a self-test; returns its report and its messages.
    private func selfTest(_ arguments: [String]) async throws -> (report: LoadReport, talk: String) {
        let transcript = try await Fleet.output(of: ["load", "--self-test", "--json", "-"] + arguments)
        let report = try LoadReport(json: try #require(transcript.results.last, "\(transcript.talk)"))
        return (report, transcript.talk)
    }

    @Test("a self-test runs without a fleet and reports the tester's floor")
    func selfTest() async throws {
        let arguments = ["--rate", "1000", "--warmup", "500ms", "--duration", "1s", "--retry-ratio", "0.1"]
        let (report, talk) = try await selfTest(arguments)
        let result = report.last.result
        #expect(report.target == .echo && result.applied == result.offered && result.applied > 500)
        #expect(result.retries?.different == 0)
        #expect(report.floorUs == result.latencyUs)
        let floor = try #require(talk.split(separator: "\n").first { $0.hasPrefix("floor ") })
        #expect(floor.contains("p99.9 ") && floor.hasSuffix("what tester and sockets take without a fleet"))
        #expect(talk.contains("warm-up: ") && !talk.contains("journal"))
    }

    @Test("the tester touches fewer than 100 new pages during the measurement", arguments: ["0s", "1s"])
    func nothingNew(warmup: String) async throws {
        // The records alone have 2,000 pages.
        let faults = try await attempt(until: { $0 < 100 }) {
            let arguments = ["--rate", "1000", "--warmup", warmup, "--duration", "3s"]
            let use = try #require(try await selfTest(arguments).report.last.result.testerUse)
            return use.pageFaults
        }
        #expect(faults < 100)
    }
}
