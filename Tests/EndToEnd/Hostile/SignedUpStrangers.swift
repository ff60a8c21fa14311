import Bus
import FleetClient
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport

/// New users, each in an account of their own without devices, that send every request allowed to such an
/// account, as fast as they are answered.
final class SignedUpStrangers {
    /// One of them.
    struct Stranger: Sendable {
        let email: Email
        let token: Token
    }

    /// How often each request was sent, and refused.
    struct Report: Sendable, CustomStringConvertible {
        var asked: [String: Int] = [:]
        var refused: [String: Int] = [:]

        var description: String {
            asked.sorted { $0.key < $1.key }
                .map { "\($0.value) \($0.key), \(refused[$0.key, default: 0]) of them refused" }
                .joined(separator: "; ")
        }
    }

    /// Unanswered requests of each.
    private static let window = 32
    /// The timeout for the last replies.
    private static let timeout = Duration.seconds(20).slowed
    private static let text = String(repeating: "x", count: 7_000)

    private let strangers: [Stranger]
    private let loop: Loop
    private var sockets: [Socket] = []
    private var kinds: [[UInt64: String]]
    private var generator: SeededGenerator
    private var correlation: UInt64 = 0
    private var frames = Frames()
    private var report = Report()
    private var failure: (any Error)?

    private init(_ strangers: [Stranger], _ path: String, _ context: Context) throws {
        self.strangers = strangers
        kinds = Array(repeating: [:], count: strangers.count)
        generator = SeededGenerator(seed: 64)
        loop = try Loop(name: "strangers", context: context)
        for _ in strangers {
            let socket = try Socket(.dealer, context: context)
            try socket.connect(Endpoint.ipc(path: path))
            sockets.append(socket)
        }
    }

    /// Signs up that many users, one after another, each from a source of its own.
    static func signUp(_ count: Int, to endpoints: FleetClient.Endpoints) async throws -> [Stranger] {
        guard let password = Password("correct horse") else { preconditionFailure("a password is none") }
        var strangers: [Stranger] = []
        for number in 0..<count {
            guard let email = Email("stranger\(number)@example.org") else {
                preconditionFailure("a name, an @ and a host are an address")
            }
            let token = try await FleetClient.withClient(
                of: endpoints, threadName: "stranger", clock: { SystemClock().now() }, seed: UInt64(number)
            ) { try await $0.signUp(email: email, password: password, timeout: timeout).token }
            strangers.append(Stranger(email: email, token: token))
        }
        return strangers
    }

    /// Sends requests until it is ended, and waits for the last replies; blocks its thread.
    ///
    /// - Parameter path: The socket file of `clients`.
    static func flood(
        _ strangers: [Stranger], _ path: String, until isOver: @escaping () -> Bool
    ) throws -> Report {
        let context = try Context()
        defer { context.terminate() }
        let flood = try SignedUpStrangers(strangers, path, context)
        defer { flood.sockets.forEach { $0.close() } }
        return try flood.run(until: isOver)
    }

    private func run(until isOver: @escaping () -> Bool) throws -> Report {
        for (index, socket) in sockets.enumerated() {
            loop.register(socket) { [self] in attempt { try receive(index, isContinuing: !isOver()) } }
            for _ in 0..<Self.window { attempt { try ask(index) } }
        }
        wait(until: isOver, givingUpAt: nil)
        loop.run()
        if let failure { throw failure }
        return report
    }

    private func wait(until isOver: @escaping () -> Bool, givingUpAt end: ContinuousClock.Instant?) {
        let now = ContinuousClock.now
        let end = end ?? (isOver() ? now + Self.timeout : nil)
        if let end, kinds.allSatisfy(\.isEmpty) || now >= end { return loop.stop() }
        _ = loop.schedule(after: .milliseconds(10)) { [self] in wait(until: isOver, givingUpAt: end) }
    }

    private func receive(_ index: Int, isContinuing: Bool) throws {
        while try sockets[index].receive(into: &frames) {
            let reply = try ClientReply(wireBytes: frames.array(at: 1))
            guard let kind = kinds[index].removeValue(forKey: reply.correlation) else { continue }
            if case .refusal = reply.body { report.refused[kind, default: 0] += 1 }
            if isContinuing { try ask(index) }
        }
    }

    private func ask(_ index: Int) throws {
        let (kind, body) = try question(of: strangers[index])
        correlation += 1
        kinds[index][correlation] = kind
        report.asked[kind, default: 0] += 1
        let request = ClientRequest(correlation: correlation, token: strangers[index].token, body: body)
        _ = try sockets[index].sendWaiting([[], request.wireBytes])
    }

    private func question(of stranger: Stranger) throws -> (String, ClientRequest.Body) {
        let id = RequestID(at: SystemClock().now().wall, using: &generator)
        let number = Int.random(in: 0..<1_000, using: &generator)
        switch number {
        case 0..<720: return ("cancels", .cancel(id, timeout: nil))
        case 720..<780:
            return ("posts", .logbook(.addPost(try PostDraft(requestID: id, title: "Spam", body: Self.text))))
        case 780..<840:
            return ("sites", .sites(.add(try SiteProfile(name: "Site \(number)", description: Self.text))))
        case 840..<900:
            let device = DeviceID(fleetSeed: 64, index: UInt64(number))
            return ("queues", .commandQueues(.start(id, .demo(on: device))))
        case 900..<940:
            let heading = try RosterHeading(name: "Strangers", message: String(Self.text.prefix(1_000)))
            let base = RosterVersion(UInt64(number % 4))
            return ("rosters", .roster(.change(from: base, to: heading)))
        case 940..<995: return ("snapshots", .snapshot(cursor: 0))
        default:
            guard let password = Password("correct horse") else { preconditionFailure("a password is none") }
            return ("passwords", .changePassword(stranger.email, to: password))
        }
    }

    private func attempt(_ work: () throws -> Void) {
        do {
            try work()
        } catch {
            failure = failure ?? error
            loop.stop()
        }
    }
}
