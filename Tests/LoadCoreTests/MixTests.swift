import FleetProtocol
import Testing

@testable import LoadCore

@Suite("Cancels, repeats and failures in a load")
struct MixTests {
    @Test("the given ratio of requests is cancelled soon after they are sent, and counted by outcome")
    func cancels() throws {
        var run = try VirtualRun(.open(perSecond: 1_000, cancelRatio: 0.2))
        var sentAt: [RequestID: Duration] = [:]
        var cancels = 0
        try run.finish { message, elapsed in
            switch message.request.body {
            case .command(let command):
                sentAt[command.requestID] = elapsed
                return .init(delay: .milliseconds(2), body: message.report())
            case .cancel(let id, let timeout):
                cancels += 1
                let after = elapsed - (sentAt[id] ?? .zero)
                #expect(after >= .zero && after <= RequestMaker.followUpWithin)
                #expect(timeout == .seconds(5) - after)
                let answer: CancelReply = cancels % 2 == 0 ? .cancelled : .pending
                return .init(delay: .milliseconds(1), body: .cancel(id, answer))
            default: preconditionFailure("a load sends commands and cancels")
            }
        }
        let result = run.result
        let figures = try #require(result.cancels)
        #expect(abs(Double(cancels) - 2_000) < 200)
        #expect(figures.inTime == cancels / 2 && figures.pending == cancels - cancels / 2)
        #expect(figures.tooLate == 0 && figures.refused == 0 && figures.noAnswer == 0)
        #expect(abs(try #require(figures.latencyUs.p50) / 1_000 - 1) < 0.02)
        // Cancelled requests are part neither of the latencies nor of the failures.
        #expect(result.applied == 10_000 - cancels && result.failed == 0)
        #expect(result.outcomes == ["applied": 10_000])
        #expect(result.retries == nil)
    }

    @Test("repeats use the same ID over another connection, and different outcomes are counted")
    func retries() throws {
        let plan = try LoadPlan.open(perSecond: 1_000, connections: 2, retryRatio: 0.5)
        var run = VirtualRun(plan)
        var copies: [RequestID: [Int]] = [:]
        var lost: RequestID?
        var repeats = 0
        try run.finish { message, _ in
            guard case .command(let command) = message.request.body else {
                preconditionFailure("cancels were sent without a cancel ratio")
            }
            guard command.requestID != lost else { return .init(delay: .zero, body: nil) }
            copies[command.requestID, default: []].append(message.connection)
            guard copies[command.requestID]?.count == 2 else {
                return .init(delay: .milliseconds(2), body: message.report())
            }
            repeats += 1
            switch repeats {
            case 1: return .init(delay: .milliseconds(1), body: message.report(.expired))
            case 2: return .init(delay: .milliseconds(1), body: .refusal(.busy(retryAfter: .seconds(1))))
            case 3:
                lost = command.requestID
                return .init(delay: .zero, body: nil)
            default: return .init(delay: .milliseconds(1), body: message.report())
            }
        }
        let figures = try #require(run.result.retries)
        #expect(copies.values.allSatisfy { $0 == [0, 1] || $0 == [1, 0] || $0.count == 1 })
        #expect(abs(Double(repeats) - 5_000) < 300)
        #expect(figures.different == 1 && figures.undecided == 1 && figures.noAnswer == 1)
        #expect(figures.alike == repeats - 3)
    }

    @Test("refusals and failures are counted by name, and are not part of the latencies")
    func failures() throws {
        var run = try VirtualRun(.open(perSecond: 100, duration: .seconds(1)))
        var number = 0
        try run.finish { message, _ in
            number += 1
            let body: ClientReply.Body =
                switch number % 5 {
                case 0: .refusal(.busy(retryAfter: .seconds(1)))
                case 1: message.report(.conflict(.sample))
                case 2: message.report(.unknown)
                default: message.report()
                }
            return .init(delay: number % 5 < 3 ? .zero : .milliseconds(10), body: body)
        }
        let result = run.result
        #expect(result.outcomes == ["busy": 20, "conflict": 20, "unknown": 20, "applied": 40])
        #expect(result.applied == 40 && result.failed == 60)
        #expect(try #require(result.latencyUs.p50) > 9_900)
        #expect(result.perSecond.map(\.failed) == [60])
    }

    @Test("the parts of the latency are those in the outcome, and the rest is the reply")
    func hops() throws {
        var run = try VirtualRun(.open(perSecond: 100))
        let timing = OutcomeReport.Timing(
            totalUs: 900, queueUs: 100, wireUs: 300, deviceUs: 50, journalUs: 200)
        try run.finish { message, _ in
            .init(delay: .milliseconds(1), body: message.report(timing: timing))
        }
        let means = run.result.hops.parts.map { ($0.name, $0.figures.mean) }
        let expected: [(String, Double)] = [
            ("tester", 0), ("queue", 100), ("journal", 200), ("wire", 300), ("device", 50), ("reply", 350),
        ]
        #expect(means.map(\.0) == expected.map(\.0))
        for (mean, wanted) in zip(means, expected) { #expect(mean.1 == wanted.1, "\(wanted.0)") }
    }

    @Test("a closed loop always has the given number of requests in flight")
    func inFlight() throws {
        var run = try VirtualRun(LoadPlan(.inFlight(7), duration: .seconds(1)))
        var ends: [Duration] = []
        var most = 0
        try run.finish { message, elapsed in
            ends.removeAll { $0 <= elapsed }
            ends.append(elapsed + .milliseconds(10))
            most = max(most, ends.count)
            return .init(delay: .milliseconds(10), body: message.report())
        }
        #expect(most == 7)
        #expect(run.result.offered == 700)
    }

    @Test("a lost reply frees its place in a closed loop at its timeout")
    func lostInClosedLoop() throws {
        var run = try VirtualRun(LoadPlan(.inFlight(1), duration: .seconds(10)))
        var lost: RequestID?
        try run.finish { message, _ in
            lost = lost ?? message.requestID
            return .init(delay: .milliseconds(500), body: message.requestID == lost ? nil : message.report())
        }
        #expect(run.result.outcomes == ["noAnswer": 1, "applied": 8])
    }

    @Test("a reply that was lost with its connection is asked for again, and counts from the first send")
    func lostWithItsConnection() throws {
        var run = try VirtualRun(.open(perSecond: 100, duration: .seconds(4), connections: 2))
        var lost: Set<RequestID> = []
        try run.finish(reconnectingAt: .milliseconds(2_500)) { message, elapsed in
            let isLost = elapsed < .milliseconds(2_500) && elapsed >= .milliseconds(1_600)
            if isLost { lost.insert(message.requestID) }
            return .init(delay: .milliseconds(1), body: isLost ? nil : message.report())
        }
        let result = run.result
        #expect(result.outcomes == ["applied": 400] && result.failed == 0)
        #expect(lost.count == 90)
        // Each is sent a second time, within 50 ms of the new connection, and with its own ID.
        #expect(run.sent.count == 490 && Set(run.sent.map(\.message.requestID)).count == 400)
        let max = try #require(result.latencyUs.max)
        #expect(max >= 851_000 && max <= 902_000 + 50_000)
        #expect(try #require(result.serviceUs.max) == max)
    }

    @Test("a lost reply of any kind of message is asked for again after a second of silence")
    func lostReplies() throws {
        var run = try VirtualRun(
            .open(perSecond: 100, duration: .seconds(1), connections: 2, cancelRatio: 0.3, retryRatio: 0.3))
        var copies: [UInt64: [(at: Duration, timeout: Duration)]] = [:]
        try run.finish { message, elapsed in
            let correlation = message.request.correlation
            copies[correlation, default: []].append((elapsed, message.timeout))
            guard copies[correlation]?.count == 2 else { return .init(delay: .zero, body: nil) }
            if case .cancel = message.part {
                return .init(delay: .zero, body: .cancel(message.requestID, .pending))
            }
            return .init(delay: .zero, body: message.report())
        }
        let result = run.result
        let (cancels, retries) = (try #require(result.cancels), try #require(result.retries))
        #expect(result.outcomes == ["applied": 100])
        #expect(cancels.noAnswer == 0 && cancels.pending > 10 && retries.alike > 10 && retries.noAnswer == 0)
        #expect(try #require(cancels.latencyUs.p50) > 1_000_000)
        for times in copies.values {
            #expect(times.count == 2)
            guard let first = times.first, let second = times.last else { continue }
            #expect((.seconds(1)...(.milliseconds(1_050))).contains(second.at - first.at))
            #expect(second.timeout == first.timeout - (second.at - first.at))
        }
    }

    @Test("the refusal of a copy does not end a request whose first copy may have been carried out")
    func refusedCopy() throws {
        var run = try VirtualRun(.open(perSecond: 10, duration: .seconds(1)))
        var copies: [RequestID: Int] = [:]
        try run.finish { message, _ in
            copies[message.requestID, default: 0] += 1
            return switch copies[message.requestID] {
            case 1: .init(delay: .zero, body: nil)
            case 2: .init(delay: .zero, body: .refusal(.busy(retryAfter: .milliseconds(300))))
            default: .init(delay: .zero, body: message.report())
            }
        }
        #expect(run.result.outcomes == ["applied": 10])
        #expect(copies.values.allSatisfy { $0 == 3 })
        let max = try #require(run.result.latencyUs.max)
        #expect(max >= 1_300_000 && max < 1_420_000)
    }

    @Test("messages without a connection wait for it, and end as not sent without one")
    func unconnected() throws {
        let start = VirtualRun.start
        var load = Load(
            try .open(perSecond: 1, duration: .seconds(2)), devices: [DeviceID(fleetSeed: 1, index: 0)],
            idSeed: 1, startingAt: start)
        func moment(_ after: Duration) -> Moment {
            Moment(monotonic: start.advanced(by: after), wall: WallTime(unixMilliseconds: 1))
        }
        var next = load.nextMessage(at: moment(.zero))
        let first = try #require(next)
        load.blocked(first, at: start, isConnected: false)
        next = load.nextMessage(at: moment(.seconds(1)))
        let second = try #require(next)
        load.blocked(second, at: moment(.seconds(1)).monotonic, isConnected: false)
        #expect(load.nextMessage(at: moment(.seconds(3))) == nil)
        load.connected(0, at: moment(.seconds(4)).monotonic)
        next = load.nextMessage(at: moment(.seconds(4)))
        let again = try #require(next)
        #expect(again.requestID == first.requestID && again.timeout == .seconds(1))
        load.blocked(again, at: moment(.seconds(4)).monotonic, isConnected: false)
        load.turn(at: moment(.seconds(8)).monotonic)
        #expect(load.isDone(at: moment(.seconds(8)).monotonic))
        #expect(load.measurement(against: []).result.outcomes == ["notSent": 2])
    }

    @Test("the same seed sends commands to the same devices, and another seed to others")
    func repeatable() throws {
        func commands(seed: UInt64) throws -> [DeviceID] {
            var run = try VirtualRun(.open(perSecond: 500, .poisson, duration: .seconds(1), seed: seed))
            try run.finish { message, _ in .init(delay: .milliseconds(1), body: message.report()) }
            return run.commands.map(\.device)
        }
        #expect(try commands(seed: 3) == commands(seed: 3))
        #expect(try commands(seed: 3) != commands(seed: 4))
    }

    @Test("a stopped load sends no new requests, waits for replies, and is marked incomplete")
    func stopped() throws {
        let start = VirtualRun.start
        var load = Load(
            try .open(perSecond: 100), devices: [DeviceID(fleetSeed: 1, index: 0)], idSeed: 1,
            startingAt: start)
        var now = Moment(monotonic: start.advanced(by: .seconds(1)), wall: WallTime(unixMilliseconds: 1))
        var messages: [LoadMessage] = []
        while let message = load.nextMessage(at: now) {
            load.sent(message, at: now.monotonic)
            messages.append(message)
        }
        #expect(messages.count == 101)
        load.stop(at: now.monotonic)
        now = now.advanced(by: .seconds(1))
        #expect(load.nextMessage(at: now) == nil)
        #expect(!load.isDone(at: now.monotonic))
        for message in messages.dropLast() {
            let reply = ClientReply(correlation: message.request.correlation, body: message.report())
            load.answered(reply, at: now.monotonic)
        }
        load.abandon(at: now.monotonic)
        #expect(load.isDone(at: now.monotonic))
        let result = load.measurement(against: []).result
        #expect(!result.isComplete)
        #expect(result.outcomes == ["applied": 100, "abandoned": 1])
        #expect(result.durationSeconds == 1)
    }
}
