import FleetProtocol
import FleetReplica
import Testing

@testable import FleetClient

@Suite("Commands over real sockets", .timeLimit(.minutes(1)))
struct PerformTests {
    @Test("a toggle returns its outcome")
    func outcome() async throws {
        try await Bench.connected { bench, controller in
            async let end = bench.client.perform(Samples.toggle())
            let asked = try await controller.next()
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

    @Test("each toggle has its own request ID of version 7, and the given timeout")
    func toggle() async throws {
        try await Bench.connected { bench, controller in
            var commands: [Command] = []
            for _ in 0..<2 {
                async let end = bench.client.toggle(Samples.device, timeout: .seconds(20))
                let asked = try await controller.next()
                guard case .command(let command) = asked.request.body else { break }
                commands.append(command)
                let report = try Samples.report(.applied(Samples.state()), id: command.requestID)
                try await controller.answer(asked, .outcome(report))
                #expect(try await end == .outcome(report))
            }
            #expect(commands.map(\.kind) == [.toggle, .toggle])
            #expect(Set(commands.map(\.requestID)).count == 2)
            #expect(commands.allSatisfy { $0.requestID.isVersion7 && $0.timeout ?? .zero > .seconds(10) })
        }
    }

    @Test("a toggle without a reply is sent again with its ID, and the second copy's reply is the result")
    func resend() async throws {
        try await Bench.connected { bench, controller in
            async let end = bench.client.perform(Samples.toggle(timeout: .seconds(20)))
            let first = try await controller.next()
            let second = try await controller.next()
            guard case .command(let one) = first.request.body, case .command(let two) = second.request.body
            else {
                Issue.record("not commands")
                return
            }
            #expect(one.requestID == two.requestID)
            #expect(try #require(two.timeout) < #require(one.timeout))
            try await controller.answer(second, .refusal(.busy(retryAfter: .milliseconds(1))))
            try await controller.answer(first, .outcome(try Samples.applied()))
            #expect(try await end == .outcome(try Samples.applied()))
            // If the machine stalls for a second, the silence is long enough for a third copy.
            #expect(await bench.client.counters.resends >= 1)
        }
    }

    @Test("a command without a reply ends as unknown")
    func unknown() async throws {
        try await Bench.connected { bench, controller in
            async let end = bench.client.perform(Samples.toggle(timeout: .milliseconds(100)))
            _ = try await controller.next()
            guard case .outcome(let report) = try await end else {
                Issue.record("not an outcome")
                return
            }
            #expect(report.outcome == .unknown)
            #expect(report.requestID == Samples.requestID())
            #expect(report.timing.totalUs >= 350_000)
        }
    }

    @Test("cancelling the task sends a cancel and returns the controller's answer")
    func cancelling() async throws {
        try await Bench.connected { bench, controller in
            for answer in [CancelReply.cancelled, .tooLate(try Samples.applied()), .pending] {
                let task = Task { try await bench.client.perform(Samples.toggle()) }
                // If the machine stalls for a second, there are further copies of either.
                var asked = try await controller.next()
                while case .cancel = asked.request.body { asked = try await controller.next() }
                task.cancel()
                while case .command = asked.request.body { asked = try await controller.next() }
                guard case .cancel(Samples.requestID(), .some(let timeout)) = asked.request.body else {
                    Issue.record("not the cancel: \(asked.request.body)")
                    return
                }
                #expect(timeout <= .seconds(2))
                try await controller.answer(asked, .cancel(Samples.requestID(), answer))
                #expect(try await task.value == .cancel(answer))
            }
        }
    }

    @Test("cancelling a task whose command was not sent ends as cancelled")
    func cancellingUnsent() async throws {
        try await Bench.run(credentials: try Samples.credentials()) { bench in
            let task = Task { try await bench.client.perform(Samples.toggle()) }
            while await bench.client.pending.count == 0 { await Task.yield() }
            task.cancel()
            let end = try await task.value
            #expect(end == .cancel(.cancelled))
        }
    }

    @Test("a separate cancel returns the controller's answer")
    func separateCancel() async throws {
        try await Bench.connected { bench, controller in
            async let answer = bench.client.cancel(Samples.requestID(), timeout: .seconds(20))
            try await controller.answerNext(.cancel(Samples.requestID(), .pending))
            #expect(try await answer == .pending)
        }
    }

    @Test("a restarted controller gets the command again, and its reply is the result")
    func restart() async throws {
        try await Bench.connected { bench, controller in
            async let end = bench.client.perform(Samples.toggle(timeout: .seconds(20)))
            let first = try await controller.next()
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
