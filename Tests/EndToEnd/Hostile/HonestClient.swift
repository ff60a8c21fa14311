import Bus
import Dispatch
import FleetProtocol
import Foundation
import ProcessSupport
import TestSupport

/// A client that toggles one device after another at random instants and a constant rate, regardless of the
/// replies.
final class HonestClient {
    /// The results of its toggles.
    struct Account: Sendable {
        /// The time at which each applied toggle was sent, and its latency.
        var times: [(at: ContinuousClock.Instant, took: Duration)] = []
        var asked = 0
        /// Descriptions of toggles that were not applied.
        var surprises: [String] = []

        var applied: Int { times.count }
        /// The 99th percentile of the applied toggles' latency; zero if none was applied.
        var p99: Duration {
            let sorted = times.map(\.took).sorted()
            return sorted.isEmpty ? .zero : sorted[min(sorted.count - 1, sorted.count * 99 / 100)]
        }
    }

    /// The state that it shares with its attackers.
    struct Shared: Sendable {
        /// Its newest request, whose ID attackers can use.
        let newest = Box<RequestID>()
        /// Set to end the client.
        let isOver = Box<Bool>()
    }

    /// The mean time from one toggle to the next.
    private static let interval = Duration.milliseconds(10)
    /// The timeout for the last replies.
    private static let timeout = Duration.seconds(10).slowed

    private let shared: Shared
    private let loop: Loop
    private let socket: Socket
    private let loot: AttackSource.Loot
    private let clock = ContinuousClock()
    private var frames = Frames()
    private var generator = SystemRandomNumberGenerator()
    private var account = Account()
    /// The time at which each toggle without a reply was sent.
    private var open: [UInt64: ContinuousClock.Instant] = [:]
    private var failure: (any Error)?

    private init(
        _ fleet: FleetConnection, _ loot: AttackSource.Loot, _ shared: Shared, _ context: Context
    ) throws {
        (self.loot, self.shared) = (loot, shared)
        loop = try Loop(name: "honest client", context: context)
        var options = SocketOptions.defaults(for: .dealer)
        options.secure(fleet.security)
        socket = try Socket(.dealer, context: context, options: options)
        try socket.connect(fleet.endpoint(.clients))
    }

    /// Runs a closure while a client toggles on a thread of its own.
    ///
    /// - Parameter work: The closure; the client ends with it, or when it sets `isOver`.
    static func whileToggling<Value>(
        at place: FleetPlace, _ loot: AttackSource.Loot, _ work: (Shared) async throws -> Value
    ) async throws -> (Value, Account) {
        let shared = Shared()
        async let account = Lab.onThread("honest client") { try run(place, loot: loot, shared: shared) }
        defer { shared.isOver.value = true }
        let value = try await work(shared)
        shared.isOver.value = true
        return (value, try await account)
    }

    /// Toggles until it is ended, and waits for the last replies; blocks its thread.
    ///
    /// - Parameter place: Where it reaches the fleet.
    private static func run(_ place: FleetPlace, loot: AttackSource.Loot, shared: Shared) throws -> Account {
        let context = try Context()
        defer { context.terminate() }
        let client = try HonestClient(place[.clients], loot, shared, context)
        defer { client.socket.close() }
        client.loop.register(client.socket) { client.attempt { try client.receive() } }
        client.ask(at: client.clock.now)
        client.loop.run()
        if let failure = client.failure { throw failure }
        return client.account
    }

    private func ask(at instant: ContinuousClock.Instant) {
        if shared.isOver.value == true { return wait(until: clock.now + Self.timeout) }
        attempt { try toggle() }
        let next = max(instant + interval(), clock.now)
        _ = loop.schedule(at: next) { [self] in ask(at: next) }
    }

    /// Exponentially distributed: with a fixed interval of 10 ms, a client would meet each attack, or none.
    private func interval() -> Duration {
        Self.interval * -log(Double.random(in: 0x1p-53...1, using: &generator))
    }

    private func wait(until end: ContinuousClock.Instant) {
        guard !open.isEmpty, clock.now < end else {
            account.surprises += open.map { _ in "no answer" }
            return loop.stop()
        }
        _ = loop.schedule(after: Self.interval) { [self] in wait(until: end) }
    }

    private func toggle() throws {
        let id = RequestID(
            at: WallTime(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000)), using: &generator)
        shared.newest.value = id
        let device = loot.devices[account.asked % loot.devices.count].id
        let command = Command(requestID: id, device: device, kind: .toggle)
        let correlation = UInt64(account.asked)
        let request = ClientRequest(correlation: correlation, token: loot.token, body: .command(command))
        open[correlation] = clock.now
        account.asked += 1
        _ = try socket.sendWaiting([[], request.wireBytes])
    }

    private func receive() throws {
        while try socket.receive(into: &frames) {
            let reply = try ClientReply(wireBytes: frames.array(at: 1))
            guard let start = open.removeValue(forKey: reply.correlation) else { continue }
            if case .outcome(let report) = reply.body, case .applied = report.outcome {
                account.times.append((start, clock.now - start))
            } else {
                account.surprises.append("\(reply.body)")
            }
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
