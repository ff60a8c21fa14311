import FleetProtocol
import Testing

@testable import FleetClient

@Suite("Counter reports over real sockets", .timeLimit(.minutes(3)))
struct CounterReportTests {
    private func report(_ cursor: UInt32, isLast: Bool) throws -> CounterReport {
        var (controller, counters) = (CounterReport.Controller(), NodeCounters())
        controller.requests = UInt64(cursor) + 1
        counters.commands = UInt64(cursor)
        let name = try #require(NodeName("node-\(cursor)"))
        return CounterReport(
            controller: controller, nodes: [CounterReport.Node(name: name, counters: counters)],
            nextCursor: cursor + 1, isLast: isLast)
    }

    @Test("counter reports are requested until the last one, and joined")
    func joined() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let credentials = try Samples.credentials()
            async let whole = bench.client.counterReport(as: credentials)
            for cursor in UInt32(0)..<3 {
                let asked = try #require(await requests.next())
                #expect(asked.request.body == .counters(cursor: cursor))
                #expect(asked.request.token == credentials.token)
                try await controller.answer(asked, .counters(try report(cursor, isLast: cursor == 2)))
            }
            let report = try await whole
            #expect(report.nodes.map(\.name.text) == ["node-0", "node-1", "node-2"])
            #expect(report.controller.requests == 3, "the newest")
            #expect(report.isLast)
        }
    }

    @Test("a report without an end is an error after a bounded number of requests")
    func endless() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let credentials = try Samples.credentials()
            let whole = Task { try await bench.client.counterReport(as: credentials) }
            for _ in 0...Limits.controllerNodes / Limits.counterNodes {
                let asked = try #require(await requests.next())
                try await controller.answer(asked, .counters(try report(7, isLast: false)))
            }
            await #expect(throws: FleetError.unexpectedReply) { try await whole.value }
        }
    }
}
