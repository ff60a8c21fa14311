import FleetProtocol
import Foundation
import ProcessSupport
import Synchronization

/// A user of the gateway's page, who toggles over HTTP the version they saw, which may be outdated.
///
/// After a lost answer they query the outcome of the same ID, as the page does.
final class TorturePage: Sendable {
    /// The results.
    struct Counts: Sendable {
        var toggles = 0
        var repetitions = 0
        var acknowledged = 0
        var conflicts = 0
        var losses = 0
    }

    /// A gateway, and where its user's programs run.
    struct Gateway: Sendable {
        let lab: Lab
        /// Its address, which ends with a slash; nil while it has none.
        let url: @Sendable () -> String?
    }

    private struct State {
        var counts = Counts()
        /// The gateway that is used, by its index.
        var gateway = 0
        /// The last answer to each request that ended: the name of the outcome, or `refused`.
        var ends: [RequestID: String] = [:]
        /// The time at which the last acknowledged toggle was sent.
        var lastSuccess: ContinuousClock.Instant?
        /// The time at which the last toggle was sent that has an outcome, such as a conflict.
        var lastOutcome: ContinuousClock.Instant?
    }

    /// An answer about a request: its outcome, or that it has not ended.
    private struct PageReply: Decodable {
        let kind: String
        let text: String

        private enum CodingKeys: String, CodingKey {
            case kind
            case text = "words"
        }
    }

    private struct Session: Decodable {
        let csrf: String
    }

    private struct List: Decodable {
        struct Row: Decodable {
            let id: String
            let incarnation: String
            let version: UInt64
        }

        let devices: [Row]
    }

    /// A toggle of the version that the page saw.
    private struct Toggle {
        let requestID: RequestID
        let device: DeviceID
        let expected: Expectation
    }

    /// A query about a toggle.
    private enum Question {
        case toggle, outcome, cancel
    }

    /// The beginning of an answer in the history: it has no state, as the clients' answers have.
    static let answeredText = "over HTTP: "
    private static let clock = ContinuousClock()
    /// The number of attempts for one toggle, and the pause between them.
    private static let attempts = 200
    private static let pause = Duration.milliseconds(20)
    /// One toggle in four uses an older list.
    private static let toggleOfOldIn = 4
    private static let finals: Set<String> = [
        "applied", "unchanged", "conflict", "rejected", "cancelled", "expired", "undetermined",
    ]

    private let gateways: [Gateway]
    private let session: @Sendable () throws -> CellToken
    private let history: History
    private let isRushed: Box<Bool>
    private let seed: UInt64
    private let state = Mutex(State())

    /// - Parameters:
    ///   - gateways: The gateways, at least one. After a request without an answer the next one is used.
    ///   - session: Reads the user's session.
    init(
        of gateways: [Gateway], as session: @escaping @Sendable () throws -> CellToken, _ history: History,
        isRushed: Box<Bool>, seed: UInt64
    ) {
        (self.gateways, self.session, self.history) = (gateways, session, history)
        (self.isRushed, self.seed) = (isRushed, seed)
    }

    /// A user of the gateway of a fleet.
    convenience init(of fleet: TortureFleet, _ history: History, isRushed: Box<Bool>) {
        let directory = fleet.directory
        self.init(
            of: [Gateway(lab: fleet.lab) { try? directory.gatewayURL() }],
            as: {
                let session = try StoredSession.read(from: directory.sessionFile)
                return CellToken(session.token, in: session.cell)
            }, history, isRushed: isRushed, seed: fleet.plan.seed)
    }

    var counts: Counts { state.withLock(\.counts) }
    /// The last answer to each request that ended: the name of the outcome, or `refused`.
    var ends: [RequestID: String] { state.withLock(\.ends) }

    /// Whether a toggle sent after that moment was acknowledged.
    func hasSucceeded(since moment: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.lastSuccess.map { $0 > moment } ?? false }
    }

    /// Whether a toggle sent after that moment has an outcome.
    func hasOutcome(since moment: ContinuousClock.Instant) -> Bool {
        state.withLock { $0.lastOutcome.map { $0 > moment } ?? false }
    }

    /// Whether the gateway knows the fleet.
    func isReady() async -> Bool {
        await ask("readyz", [])?.status == 200
    }

    /// Toggles, one after another, until cancelled.
    ///
    /// - Parameter number: Distinguishes this user's random choices from those of others.
    func work(on devices: [DeviceID], number: UInt64 = 0, until isOver: @Sendable () -> Bool) async throws {
        let cookie = ["--header", "Cookie: sensibus=\(try session().text)"]
        var generator = SeededGenerator.derived(seed: seed &+ number, purpose: 3)
        var proof: String?
        var seen: [DeviceID: Expectation] = [:]
        while !isOver() {
            let thought = generator.waitingTime(perSecond: .seconds(1) / TorturePlan.meanThought)
            if isRushed.value != true { await Pace.wait(min(thought, TorturePlan.meanThought * 5)) }
            guard let known = proof else {
                proof = await openPage(cookie)?.csrf
                continue
            }
            let isOld = Int.random(in: 0..<Self.toggleOfOldIn, using: &generator) == 0
            if !isOld || seen.isEmpty, let list = await list(cookie) { seen = list }
            let device = devices[Int.random(in: devices.indices, using: &generator)]
            guard let expected = seen[device] else { continue }
            let requestID = RequestID(at: SystemClock().now().wall, using: &generator)
            await carryThrough(
                Toggle(requestID: requestID, device: device, expected: expected),
                cookie + ["--header", "X-CSRF-Token: \(known)"], until: isOver)
        }
    }

    /// All answers to the page that contradict those to others.
    static func contradictions(of ends: [RequestID: String], in history: [Asked]) -> [Violation] {
        var answers: [RequestID: Asked.Reply] = [:]
        for one in history where one.kind == .question { answers[one.requestID] = one.answer }
        return ends.sorted { $0.key < $1.key }.compactMap { requestID, name in
            switch answers[requestID] {
            case .outcome(let outcome) where outcome.name == name: return nil
            // A refusal may have been settled by a cancel, or the controller has never seen the request.
            case .outcome(.cancelled) where name == "refused": return nil
            case .refused(.notFound) where name == "refused": return nil
            case let other:
                let answer = other.map { "\($0)" } ?? "nothing"
                let text = "\(requestID) was \(name) for the page, and then the answer is \(answer)"
                return Violation(promise: .oneEnd, text: text)
            }
        }
    }

    private func openPage(_ cookie: [String]) async -> Session? {
        guard let (status, body) = await ask("page/session", cookie), status == 200 else { return nil }
        return try? JSONDecoder().decode(Session.self, from: body)
    }

    private func list(_ cookie: [String]) async -> [DeviceID: Expectation]? {
        guard let (status, body) = await ask("page/devices", cookie), status == 200,
            let list = try? JSONDecoder().decode(List.self, from: body)
        else { return nil }
        let rows = list.devices.compactMap { row in
            DeviceID(row.id).flatMap { device in
                Incarnation(row.incarnation).map {
                    (device, Expectation(incarnation: $0, version: Version(row.version)))
                }
            }
        }
        return Dictionary(rows) { $1 }
    }

    /// Toggles once, with as many attempts as needed.
    private func carryThrough(
        _ toggle: Toggle, _ options: [String], until isOver: @Sendable () -> Bool
    ) async {
        let start = Self.clock.now
        state.withLock { $0.counts.toggles += 1 }
        var question = Question.toggle
        var copies = 0
        for attempt in 0..<Self.attempts where attempt == 0 || !isOver() {
            if attempt > 0 { await Pace.wait(Self.pause) }
            if question == .toggle { copies += 1 }
            let answer = await ask(question, about: toggle, options, copy: copies)
            if answer.pageReply == nil { state.withLock { $0.counts.losses += 1 } }
            switch (question, answer.pageReply?.kind) {
            case (.toggle, "refused"?) where copies == 1: return end(toggle, "refused", since: start)
            case (.toggle, "refused"?): question = .cancel
            case (.toggle, let kind?) where Self.finals.contains(kind),
                (.outcome, let kind?) where Self.finals.contains(kind):
                return end(toggle, kind, since: start)
            case (.outcome, nil) where answer.status == 404: question = .toggle
            case (.cancel, "cancelled"?): return end(toggle, "refused", since: start)
            case (.cancel, "too-late"?): question = .outcome
            case (.toggle, _): question = .outcome
            case (.outcome, _), (.cancel, _): break
            }
        }
    }

    private func end(_ toggle: Toggle, _ kind: String, since start: ContinuousClock.Instant) {
        state.withLock { state in
            state.ends[toggle.requestID] = kind
            if Self.finals.contains(kind) { state.lastOutcome = start }
            if kind == "conflict" { state.counts.conflicts += 1 }
            guard kind == "applied" else { return }
            state.counts.acknowledged += 1
            state.lastSuccess = start
        }
    }

    private func ask(
        _ question: Question, about toggle: Toggle, _ options: [String], copy: Int
    ) async -> (pageReply: PageReply?, status: Int?) {
        let askedAt = Self.clock.now
        let id = toggle.requestID
        let answer: (status: Int, body: Data)?
        switch question {
        case .toggle:
            let (incarnation, version) = (toggle.expected.incarnation, toggle.expected.version.value)
            let form =
                #"{"requestId":"\#(id)","incarnation":"\#(incarnation)","version":\#(version)}"#
            answer = await ask("page/devices/\(toggle.device)/toggle", options + ["--data", form])
        case .outcome: answer = await ask("page/requests/\(id)", options)
        case .cancel: answer = await ask("page/requests/\(id)/cancel", options + ["--data", ""])
        }
        let body = answer.flatMap { $0.status == 200 ? $0.body : nil }
        let pageReply = body.flatMap { try? JSONDecoder().decode(PageReply.self, from: $0) }
        guard question == .toggle else { return (pageReply, answer?.status) }
        if copy > 1 { state.withLock { $0.counts.repetitions += 1 } }
        // The page's answer does not have the resulting state: the query at the end has it.
        let text =
            pageReply.map { "\(Self.answeredText)\($0.text)" } ?? answer.map { "status \($0.status)" }
            ?? "no answer"
        history.append(
            Asked(
                kind: copy > 1 ? .repetition : .toggle, requestID: id, device: toggle.device,
                expected: toggle.expected, askedAt: askedAt, answeredAt: Self.clock.now,
                answer: .nothing(text)))
        return (pageReply, answer?.status)
    }

    /// Sends a request to the gateway's current address; nil if there was no answer.
    private func ask(_ path: String, _ options: [String]) async -> (status: Int, body: Data)? {
        let index = state.withLock(\.gateway)
        let answer = await gateways[index].ask(path, options)
        if answer == nil { state.withLock { $0.gateway = (index + 1) % gateways.count } }
        return answer
    }
}

extension TorturePage.Gateway {
    /// Sends a request; nil if there was no answer.
    func ask(_ path: String, _ options: [String] = []) async -> (status: Int, body: Data)? {
        guard let url = url() else { return nil }
        let fixed = [
            "--silent", "--max-time", "8", "--write-out", "\n%{http_code}", "--header",
            "Origin: \(url.dropLast())",
        ]
        let ended = try? await lab.run("/usr/bin/curl", fixed + options + [url + path])
        guard let ended, ended.status == 0, let end = ended.output.lastIndex(of: "\n"),
            let status = Int(ended.output[end...].dropFirst())
        else { return nil }
        return (status, Data(ended.output[..<end].utf8))
    }
}
