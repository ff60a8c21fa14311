import FleetProtocol
import Testing

@testable import FleetClient

@Suite("Snapshots over real sockets", .timeLimit(.minutes(1)))
struct SnapshotTests {
    /// The chunk of one row for a request.
    private func chunk(_ cursor: UInt32, epoch: UInt64, of count: UInt32) throws -> ClientReply.Body {
        .snapshot(
            SnapshotChunk(
                epoch: Epoch(epoch), sequence: StreamSequence(UInt64(cursor) + 1), nextCursor: cursor + 1,
                isLast: cursor + 1 == count, nodes: [try Samples.node()],
                rows: [Samples.row(UInt64(cursor))]))
    }

    @Test("a snapshot is pulled chunk by chunk, each from the end of the last")
    func chunks() async throws {
        try await Bench.connected { bench, controller in
            async let devices = bench.client.devices()
            for cursor in UInt32(0)..<3 {
                try await controller.answerNext(
                    try chunk(cursor, epoch: 7, of: 3), to: .snapshot(cursor: cursor))
            }
            let snapshot = try await devices
            #expect(snapshot.epoch == Epoch(7))
            #expect(snapshot.sequence == StreamSequence(1))
            #expect(snapshot.rows == (0..<3).map { Samples.row($0) })
            #expect(snapshot.nodes == [try Samples.node()])
            #expect(snapshot.presence(of: snapshot.rows[0]).kind == .online)
        }
    }

    @Test("a snapshot is restarted if the controller restarts in between")
    func restart() async throws {
        try await Bench.connected { bench, controller in
            async let devices = bench.client.devices()
            for (cursor, epoch) in [(UInt32(0), UInt64(7)), (1, 8), (0, 8), (1, 8)] {
                try await controller.answerNext(
                    try chunk(cursor, epoch: epoch, of: 2), to: .snapshot(cursor: cursor))
            }
            let snapshot = try await devices
            #expect(snapshot.epoch == Epoch(8))
            #expect(snapshot.rows.count == 2)
        }
    }

    @Test("chunks without progress are an unexpected reply")
    func endless() async throws {
        try await Bench.connected { bench, controller in
            let devices = Task { try await bench.client.devices() }
            try await controller.answerNext(try chunk(0, epoch: 7, of: 3))
            try await controller.answerNext(try chunk(0, epoch: 7, of: 3))
            await #expect(throws: FleetError.unexpectedReply) { try await devices.value }
        }
    }

    @Test("a snapshot with more rows than announced is an unexpected reply, after a bounded number of chunks")
    func tooMany() async throws {
        try await Bench.connected { bench, controller in
            let devices = Task { try await bench.client.devices() }
            for number in UInt32(0)...10 {
                let asked = try await controller.next()
                let rows = (0..<400).map { Samples.row(UInt64(number) * 400 + $0) }
                let chunk = SnapshotChunk(
                    epoch: Epoch(7), sequence: StreamSequence(1), nextCursor: number + 1, isLast: false,
                    deviceCount: number == 0 ? 3 : 0, nodes: [try Samples.node()], rows: rows)
                try await controller.answer(asked, .snapshot(chunk))
            }
            await #expect(throws: FleetError.unexpectedReply) { try await devices.value }
        }
    }

    @Test("a snapshot ends with the slots that its first chunk announces")
    func announcedEnd() async throws {
        try await Bench.connected { bench, controller in
            async let devices = bench.client.devices()
            for number in UInt32(0)..<2 {
                let asked = try await controller.next()
                let chunk = SnapshotChunk(
                    epoch: Epoch(7), sequence: StreamSequence(1), nextCursor: number + 1, isLast: false,
                    endCursor: number + 2, nodes: [], rows: [Samples.row(UInt64(number))])
                try await controller.answer(asked, .snapshot(chunk))
            }
            #expect(try await devices.rows.count == 2)
        }
    }

    @Test("a device of an unknown node has an unknown presence")
    func unnamedNode() {
        let snapshot = FleetSnapshot(
            epoch: Epoch(1), sequence: StreamSequence(1), nodes: [], rows: [Samples.row(1)])
        #expect(snapshot.presence(of: snapshot.rows[0]).kind == .unknown)
    }
}

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
            let credentials = try Samples.credentials()
            async let whole = bench.client.counterReport(as: credentials)
            for cursor in UInt32(0)..<3 {
                let asked = try await controller.next()
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
            let credentials = try Samples.credentials()
            let whole = Task { try await bench.client.counterReport(as: credentials) }
            for _ in 0...Limits.controllerNodes / Limits.counterNodes {
                try await controller.answerNext(.counters(try report(7, isLast: false)))
            }
            await #expect(throws: FleetError.unexpectedReply) { try await whole.value }
        }
    }
}
