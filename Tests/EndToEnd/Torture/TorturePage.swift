import FleetProtocol
import Foundation
import Runtime
import Stepping
import Synchronization

/// Somebody at the gateway's page, who toggles over HTTP, and asks again under the same id where an answer
/// was lost, as the page does.
final class TorturePage: Sendable {
    /// What came of it.
    struct Counts: Sendable {
        var toggles = 0
        var repetitions = 0
        var acknowledged = 0
    }

    private struct State {
        var counts = Counts()
        /// How requests ended, as the page was told: the name of the outcome.
        var ends: [RequestID: String] = [:]
        /// When the last toggle was asked that was acknowledged.
        var lastSuccess: ContinuousClock.Instant?
    }

    /// What the page is answered of a toggle.
    private struct Ending: Decodable {
        let kind: String
        let words: String
    }

    private struct Session: Decodable {
        let csrf: String
    }

    private static let clock = ContinuousClock()
    /// How often one toggle is asked for, and how long nobody asks in between.
    private static let attempts = 40
    private static let pause = Duration.milliseconds(100)
    private static let finals: Set<String> = [
        "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined",
    ]

    private let fleet: TortureFleet
    private let history: History
    private let isRushed: Box<Bool>
    private let state = Mutex(State())

    init(of fleet: TortureFleet, _ history: History, isRushed: Box<Bool>) {
        (self.fleet, self.history, self.isRushed) = (fleet, history, isRushed)
    }

    var counts: Counts { state.withLock(\.counts) }
    /// How requests ended, as the page was told.
    var ends: [RequestID: String] { state.withLock(\.ends) }

    /// Whether a toggle was acknowledged that was asked for after a moment.
    func hasSucceeded(since moment: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.lastSuccess.map { $0 > moment } ?? false }
    }

    /// Whether the gateway knows the fleet.
    func isReady() async -> Bool {
        await ask("readyz", [])?.status == 200
    }

    /// Toggles, one after another, until it is told to stop.
    func work(on devices: [DeviceID], until isOver: @Sendable () -> Bool) async throws {
        let token = try StoredSession.read(from: fleet.directory.sessionFile).token
        let cookie = ["--header", "Cookie: sensibus=\(token.bytes.hexadecimal)"]
        var generator = SeededGenerator.derived(seed: fleet.plan.seed, purpose: 3)
        var proof: String?
        while !isOver() {
            let thought = generator.waitingTime(perSecond: .seconds(1) / TorturePlan.meanThought)
            if isRushed.value != true { await Pace.wait(min(thought, TorturePlan.meanThought * 5)) }
            guard let known = proof else {
                proof = await session(cookie)?.csrf
                continue
            }
            let device = devices[Int.random(in: devices.indices, using: &generator)]
            let requestID = RequestID(at: SystemClock().now().wall, using: &generator)
            let options = cookie + ["--header", "X-CSRF-Token: \(known)"]
            await toggle(device, as: requestID, options, until: isOver)
        }
    }

    /// Whatever the page was told, and others are told otherwise.
    static func contradictions(of ends: [RequestID: String], in history: [Asked]) -> [Violation] {
        var answers: [RequestID: Asked.Answer] = [:]
        for one in history where one.kind == .question { answers[one.requestID] = one.answer }
        return ends.sorted { $0.key < $1.key }.compactMap { requestID, name in
            if case .outcome(let outcome) = answers[requestID], outcome.name == name { return nil }
            let answer = answers[requestID].map { "\($0)" } ?? "nothing"
            let words = "\(requestID) was \(name) for the page, and then the answer is \(answer)"
            return Violation(promise: .oneEnd, words: words)
        }
    }

    private func session(_ cookie: [String]) async -> Session? {
        guard let (status, body) = await ask("page/session", cookie), status == 200 else { return nil }
        return try? JSONDecoder().decode(Session.self, from: body)
    }

    /// Toggles once, however often that has to be asked for.
    private func toggle(
        _ device: DeviceID, as requestID: RequestID, _ options: [String],
        until isOver: @Sendable () -> Bool
    ) async {
        let start = Self.clock.now
        state.withLock { $0.counts.toggles += 1 }
        for attempt in 0..<Self.attempts where attempt == 0 || !isOver() {
            if attempt > 0 {
                await Pace.wait(Self.pause)
                state.withLock { $0.counts.repetitions += 1 }
            }
            let ending = await ask(for: device, as: requestID, options, isFirst: attempt == 0)
            guard let ending else { continue }
            guard Self.finals.contains(ending.kind) else { return }
            return state.withLock { state in
                state.ends[requestID] = ending.kind
                guard ending.kind == "applied" else { return }
                state.counts.acknowledged += 1
                state.lastSuccess = start
            }
        }
    }

    /// - Returns: nil where it may be asked again.
    private func ask(
        for device: DeviceID, as requestID: RequestID, _ options: [String], isFirst: Bool
    ) async -> Ending? {
        let askedAt = Self.clock.now
        let form = ["--data", #"{"requestId":"\#(requestID)"}"#]
        let answer = await ask("page/devices/\(device)/toggle", options + form)
        let body = answer.flatMap { $0.status == 200 ? $0.body : nil }
        let ending = body.flatMap { try? JSONDecoder().decode(Ending.self, from: $0) }
        // Which state it led to the page is not told: of that only the question at the end tells.
        let words = ending?.words ?? answer.map { "status \($0.status)" } ?? "no answer"
        history.append(
            Asked(
                kind: isFirst ? .toggle : .repetition, requestID: requestID, device: device, expected: nil,
                askedAt: askedAt, answeredAt: Self.clock.now, answer: .nothing("over HTTP: \(words)")))
        return ending
    }

    /// Asks the gateway where it is now; nil where there was no answer.
    private func ask(_ path: String, _ options: [String]) async -> (status: Int, body: Data)? {
        guard let url = try? fleet.directory.gatewayURL() else { return nil }
        let fixed = [
            "--silent", "--max-time", "8", "--write-out", "\n%{http_code}", "--header",
            "Origin: \(url.dropLast())",
        ]
        let ended = try? await fleet.lab.run("/usr/bin/curl", fixed + options + [url + path])
        guard let ended, ended.status == 0, let end = ended.output.lastIndex(of: "\n"),
            let status = Int(ended.output[end...].dropFirst())
        else { return nil }
        return (status, Data(ended.output[..<end].utf8))
    }
}
