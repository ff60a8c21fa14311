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
            var requests = controller.requests.makeAsyncIterator()
            async let devices = bench.client.devices()
            for cursor in UInt32(0)..<3 {
                let asked = try #require(await requests.next())
                #expect(asked.request.body == .snapshot(cursor: cursor))
                try await controller.answer(asked, try chunk(cursor, epoch: 7, of: 3))
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
            var requests = controller.requests.makeAsyncIterator()
            async let devices = bench.client.devices()
            for (cursor, epoch) in [(UInt32(0), UInt64(7)), (1, 8), (0, 8), (1, 8)] {
                let asked = try #require(await requests.next())
                #expect(asked.request.body == .snapshot(cursor: cursor))
                try await controller.answer(asked, try chunk(cursor, epoch: epoch, of: 2))
            }
            let snapshot = try await devices
            #expect(snapshot.epoch == Epoch(8))
            #expect(snapshot.rows.count == 2)
        }
    }

    @Test("chunks without progress are an unexpected reply")
    func endless() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let devices = Task { try await bench.client.devices() }
            try await controller.answer(try #require(await requests.next()), try chunk(0, epoch: 7, of: 3))
            try await controller.answer(try #require(await requests.next()), try chunk(0, epoch: 7, of: 3))
            await #expect(throws: FleetError.unexpectedReply) { try await devices.value }
        }
    }

    @Test("a snapshot with more rows than announced is an unexpected reply, after a bounded number of chunks")
    func tooMany() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            let devices = Task { try await bench.client.devices() }
            for number in UInt32(0)...10 {
                let asked = try #require(await requests.next())
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
            var requests = controller.requests.makeAsyncIterator()
            async let devices = bench.client.devices()
            for number in UInt32(0)..<2 {
                let asked = try #require(await requests.next())
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
