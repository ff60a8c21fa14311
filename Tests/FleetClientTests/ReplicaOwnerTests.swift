import FleetClient
import FleetProtocol
import FleetReplica
import ProcessSupport
import Testing

@Suite("ReplicaOwner over real sockets", .timeLimit(.minutes(1)))
struct ReplicaOwnerTests {
    /// The smallest replica owner.
    private actor Owner: ReplicaOwner {
        nonisolated let pulls = ReplicaPulls()
        private(set) var replica = Replica(random: SeededGenerator(seed: 1))
        private(set) var pullCredentials: Credentials?
        private(set) var refused: [Credentials] = []
        private(set) var failedPulls = 0
        private let clock = SystemClock()

        init(as credentials: Credentials?) {
            pullCredentials = credentials
        }

        func receive(_ input: Replica.Input) {
            if case .pullFailed = input { failedPulls += 1 }
            var effects: [Replica.Effect] = []
            replica.step(input, at: clock.now(), into: &effects)
            for case .pull(let pull) in effects { pulls.add(pull) }
            if replica.hasUnwrittenRows { receive(.tick) }
        }

        func refuse(_ credentials: Credentials) {
            refused.append(credentials)
        }
    }

    private static func chunk() throws -> ClientReply.Body {
        .snapshot(
            SnapshotChunk(
                epoch: Epoch(7), sequence: StreamSequence(1), nextCursor: 1, isLast: true,
                nodes: [try Samples.node()], rows: [Samples.row(1)]))
    }

    /// Why an update is not applied.
    private struct Enough: Error {}

    @Test("connection, pulls and stream together make a replica whole")
    func whole() async throws {
        try await Bench.connected { bench, controller in
            let owner = Owner(as: try Samples.credentials())
            let updates = try await bench.client.updates(of: try Samples.account())
            for _ in 0..<2 { _ = await controller.nextSubscription() }
            let driving = Task {
                await withDiscardingTaskGroup { group in
                    group.addTask { await owner.followConnection(of: bench.client) }
                    group.addTask { await owner.answerPulls(with: bench.client) }
                }
            }
            try await controller.answerNext(try Self.chunk(), to: .snapshot(cursor: 0))
            try await controller.publish(Samples.update(1, epoch: 7, .beat))
            let device = DeviceID(fleetSeed: 1, index: 1)
            try await controller.publish(
                Samples.update(2, epoch: 7, .reported(device, Samples.state(version: 5))))
            await #expect(throws: Enough.self) { try await Self.follow(updates, owner) }
            while await !owner.replica.isWhole { await Task.yield() }
            #expect(await owner.replica.deviceCount == 1)
            driving.cancel()
            await driving.value
        }
    }

    /// Receives updates until the stream has reported version 5.
    private static func follow(_ updates: StreamUpdates, _ owner: isolated Owner) async throws {
        var count = 0
        try await owner.follow(updates) {
            count += 1
            if count == 2 { throw Enough() }
        }
    }

    @Test("a pull without a session fails at once, and reports no refused session")
    func noSession() async throws {
        try await Bench.connected { bench, _ in
            let owner = Owner(as: nil)
            await owner.receive(.connection(.established))
            var pulls = owner.pulls.stream.makeAsyncIterator()
            await owner.answer(try #require(await pulls.next()), with: bench.client)
            #expect(await owner.failedPulls == 1)
            #expect(await owner.refused.isEmpty)
        }
    }

    @Test("a pull with an ended session fails, and reports the refused session")
    func endedSession() async throws {
        try await Bench.connected { bench, controller in
            let credentials = try Samples.credentials()
            let owner = Owner(as: credentials)
            await owner.receive(.connection(.established))
            var pulls = owner.pulls.stream.makeAsyncIterator()
            let pull = try #require(await pulls.next())
            async let answered: Void = owner.answer(pull, with: bench.client)
            try await controller.answerNext(.refusal(.unauthenticated))
            await answered
            #expect(await owner.failedPulls == 1)
            #expect(await owner.refused == [credentials])
        }
    }

    @Test("the history is read chunk by chunk, and a chunk without progress is an unexpected reply")
    func history() async throws {
        func chunk(_ next: UInt32, isLast: Bool) -> ClientReply.Body {
            .history(HistoryChunk(nextCursor: next, isLast: isLast, completeSince: nil, outcomes: []))
        }
        try await Bench.connected { bench, controller in
            let credentials = try Samples.credentials()
            let reading = Task {
                var cursors: [UInt32] = []
                try await bench.client.readHistory(back: .seconds(60), as: credentials) {
                    cursors.append($0.nextCursor)
                }
                return cursors
            }
            for (cursor, isLast) in [(UInt32(0), false), (5, true)] {
                try await controller.answerNext(
                    chunk(cursor + 5, isLast: isLast), to: .history(back: .seconds(60), cursor: cursor))
            }
            #expect(try await reading.value == [5, 10])
            let stuck = Task {
                try await bench.client.readHistory(back: .seconds(60), as: credentials) { _ in }
            }
            try await controller.answerNext(chunk(0, isLast: false))
            await #expect(throws: FleetError.unexpectedReply) { try await stuck.value }
        }
    }
}
