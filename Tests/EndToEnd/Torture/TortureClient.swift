import FleetClient
import FleetProtocol
import Foundation

/// A client that toggles, cancels and repeats, and records the answers.
struct TortureClient: Sendable {
    /// Toggles that can be repeated.
    private static let remembered = 20_000
    private static let clock = ContinuousClock()

    let client: FleetClient
    /// The connection that cancels this one's toggles.
    let other: FleetClient
    let devices: [DeviceID]
    let history: History
    /// Whether clients omit their pauses, so that many requests are in flight when a fault occurs.
    let isRushed: Box<Bool>

    /// Toggles until cancelled.
    func work(seed: UInt64, until isOver: @Sendable () -> Bool) async {
        var generator = SeededGenerator(seed: seed)
        var asked: [Command] = []
        var seen: [DeviceID: Expectation] = [:]
        while !isOver() {
            let thought = generator.waitingTime(perSecond: .seconds(1) / TorturePlan.meanThought)
            if isRushed.value != true { await Pace.wait(min(thought, TorturePlan.meanThought * 5)) }
            let choice = Int.random(in: 0..<100, using: &generator)
            if choice < 5, let command = repeatable(asked, using: &generator) {
                await perform(command, as: .repetition)
                continue
            }
            let device = devices[Int.random(in: devices.indices, using: &generator)]
            // Two of a hundred expect the version they saw, which may be outdated.
            let command = command(to: device, expecting: choice >= 98 ? seen[device] : nil, using: &generator)
            if choice < 20 {
                let isByTask = Bool.random(using: &generator)
                await performAndCancel(command, byTask: isByTask, using: &generator)
                // A toggle cancelled before it was sent is unknown to all others, and must not be repeated.
                if isByTask { continue }
            } else if case .outcome(.applied(let state)) = await perform(command, as: .toggle) {
                seen[device] = state.expectation
            }
            asked.append(command)
            if asked.count > Self.remembered { asked.removeFirst(Self.remembered / 2) }
        }
    }

    /// Toggles once and returns the outcome.
    @discardableResult
    func perform(_ command: Command, as kind: Asked.Kind) async -> Asked.Reply {
        let askedAt = Self.clock.now
        let answer: Asked.Reply
        do throws(FleetError) {
            switch try await client.perform(command) {
            case .outcome(let report): answer = .outcome(report.outcome)
            case .cancel(let cancel): answer = .cancel(cancel)
            }
        } catch {
            answer = Self.answer(error)
        }
        record(kind, command, askedAt, answer)
        return answer
    }

    /// Queries the outcome of a request.
    @discardableResult
    func ask(about requestID: RequestID, of device: DeviceID) async -> Asked.Reply {
        let askedAt = Self.clock.now
        let answer: Asked.Reply
        do throws(FleetError) {
            answer = .outcome(try await client.outcome(of: requestID).outcome)
        } catch {
            answer = Self.answer(error)
        }
        record(.question, Command(requestID: requestID, device: device, kind: .toggle), askedAt, answer)
        return answer
    }

    /// A new toggle.
    func command(
        to device: DeviceID, expecting expected: Expectation? = nil, timeout: Duration? = nil,
        using generator: inout SeededGenerator
    ) -> Command {
        let now = WallTime(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let drawn = Duration.milliseconds(Int64.random(in: 500...5_000, using: &generator))
        return Command(
            requestID: RequestID(at: now, using: &generator), device: device, kind: .toggle,
            expected: expected, timeout: timeout ?? drawn)
    }

    /// Half of them are among the newest.
    private func repeatable(_ asked: [Command], using generator: inout SeededGenerator) -> Command? {
        let recent = Bool.random(using: &generator) ? asked.suffix(4) : asked[...]
        return recent.randomElement(using: &generator)
    }

    /// Toggles and cancels: over another connection, or by cancelling the waiting task.
    private func performAndCancel(
        _ command: Command, byTask isByTask: Bool, using generator: inout SeededGenerator
    ) async {
        // About the latency of a toggle on a quiet machine.
        let delay = Duration.microseconds(Int64.random(in: 0...4_000, using: &generator))
        await withTaskGroup(of: Void.self) { group in
            group.addTask { await perform(command, as: .toggle) }
            await Pace.wait(delay)
            if isByTask {
                group.cancelAll()
            } else {
                await cancel(command)
            }
        }
    }

    private func cancel(_ command: Command) async {
        let askedAt = Self.clock.now
        let answer: Asked.Reply
        do throws(FleetError) {
            answer = .cancel(try await other.cancel(command.requestID, timeout: .seconds(2)))
        } catch {
            answer = Self.answer(error)
        }
        record(.cancel, command, askedAt, answer)
    }

    private func record(
        _ kind: Asked.Kind, _ command: Command, _ askedAt: ContinuousClock.Instant, _ answer: Asked.Reply
    ) {
        history.append(
            Asked(
                kind: kind, requestID: command.requestID, device: command.device,
                expected: command.expected, askedAt: askedAt, answeredAt: Self.clock.now, answer: answer))
    }

    private static func answer(_ error: FleetError) -> Asked.Reply {
        switch error {
        case .refused(let refusal): .refused(refusal)
        case .noController: .unsent
        case .noReply, .badReply, .unexpectedReply, .tooManyRequests, .closed, .cancelled, .transport:
            .nothing(error.description)
        }
    }
}
