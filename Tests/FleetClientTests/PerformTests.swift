import FleetProtocol
import FleetReplica
import FleetTime
import Testing

@testable import FleetClient

@Suite("Commands over real sockets", .timeLimit(.minutes(1)))
struct PerformTests {
    @Test("a toggle is answered with its outcome")
    func outcome() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let end = bench.client.perform(Samples.toggle())
            let asked = try #require(await requests.next())
            guard case .command(let command) = asked.request.body else {
                Issue.record("not a command: \(asked.request.body)")
                return
            }
            #expect(command.requestID == Samples.requestID())
            #expect(asked.request.token == (try Samples.token()))
            try await controller.answer(asked, .outcome(try Samples.applied()))
            #expect(try await end == .outcome(try Samples.applied()))
        }
    }

    @Test("each toggle has a request ID of its own, of its time, and the wait that was asked for")
    func toggle() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            var commands: [Command] = []
            for _ in 0..<2 {
                async let end = bench.client.toggle(Samples.device, patience: .seconds(20))
                let asked = try #require(await requests.next())
                guard case .command(let command) = asked.request.body else { break }
                commands.append(command)
                let report = try Samples.report(.applied(Samples.state()), id: command.requestID)
                try await controller.answer(asked, .outcome(report))
                #expect(try await end == .outcome(report))
            }
            #expect(commands.map(\.kind) == [.toggle, .toggle])
            #expect(Set(commands.map(\.requestID)).count == 2)
            #expect(commands.allSatisfy { $0.requestID.isVersion7 && $0.patience ?? .zero > .seconds(10) })
        }
    }

    @Test("silence makes it leave again under the same id, and the second copy's answer is the end")
    func resend() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let end = bench.client.perform(Samples.toggle())
            let first = try #require(await requests.next())
            let second = try #require(await requests.next())
            guard case .command(let one) = first.request.body, case .command(let two) = second.request.body
            else {
                Issue.record("not commands")
                return
            }
            #expect(one.requestID == two.requestID)
            #expect(try #require(two.patience) < #require(one.patience))
            try await controller.answer(second, .refusal(.busy(retryAfter: .milliseconds(1))))
            try await controller.answer(first, .outcome(try Samples.applied()))
            #expect(try await end == .outcome(try Samples.applied()))
            // On a machine that is away for a second the silence lasts long enough for a third copy.
            #expect(await bench.client.counters.resends >= 1)
        }
    }

    @Test("a command that nobody answers ends as unknown")
    func unknown() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let end = bench.client.perform(Samples.toggle(patience: .milliseconds(100)))
            _ = await requests.next()
            guard case .outcome(let report) = try await end else {
                Issue.record("not an outcome")
                return
            }
            #expect(report.outcome == .unknown)
            #expect(report.requestID == Samples.requestID())
            #expect(report.timing.totalUs >= 350_000)
        }
    }

    @Test("cancelling the task sends the cancel and gives what the controller says of it")
    func cancelling() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            for answer in [CancelAnswer.cancelled, .tooLate(try Samples.applied()), .pending] {
                let task = Task { try await bench.client.perform(Samples.toggle()) }
                // On a machine that is away for a second there are further copies of either.
                var asked = try #require(await requests.next())
                while case .cancel = asked.request.body { asked = try #require(await requests.next()) }
                task.cancel()
                while case .command = asked.request.body { asked = try #require(await requests.next()) }
                guard case .cancel(Samples.requestID(), .some(let patience)) = asked.request.body else {
                    Issue.record("not the cancel: \(asked.request.body)")
                    return
                }
                #expect(patience <= .seconds(2))
                try await controller.answer(asked, .cancel(Samples.requestID(), answer))
                #expect(try await task.value == .cancel(answer))
            }
        }
    }

    @Test("cancelling a task whose command never left just ends")
    func cancellingUnsent() async throws {
        try await Bench.run(credentials: try Samples.credentials()) { bench in
            let task = Task { try await bench.client.perform(Samples.toggle()) }
            while await bench.client.pending.count == 0 { await Task.yield() }
            task.cancel()
            let end = try await task.value
            #expect(end == .cancel(.cancelled))
        }
    }

    @Test("a cancel of its own says what became of the request")
    func separateCancel() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let answer = bench.client.cancel(Samples.requestID(), patience: .seconds(20))
            let asked = try #require(await requests.next())
            try await controller.answer(asked, .cancel(Samples.requestID(), .pending))
            #expect(try await answer == .pending)
        }
    }

    @Test("a controller that dies and comes back hears the command again, and answers it")
    func restart() async throws {
        try await Bench.connected { bench, controller in
            var requests = controller.requests.makeAsyncIterator()
            async let end = bench.client.perform(Samples.toggle(patience: .seconds(20)))
            let first = try #require(await requests.next())
            await controller.stop()
            try await bench.wait { if case .failed = $0 { true } else { false } }

            let successor = try await bench.startController()
            var later = successor.requests.makeAsyncIterator()
            let second = try #require(await later.next())
            #expect(second.request.correlation == first.request.correlation)
            try await successor.answer(second, .outcome(try Samples.applied()))
            #expect(try await end == .outcome(try Samples.applied()))
            #expect(await bench.client.connection == .established)
            await successor.stop()
        }
    }
}
