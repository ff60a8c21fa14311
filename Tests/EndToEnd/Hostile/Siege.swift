import Bus
import FleetProtocol
import Foundation
import RawPeers
import TestSupport

/// Hostile peers at all four sockets of a controller, which attack in intervals.
///
/// One thread is all of them, and attacks at a constant rate, one message after another: while it computes
/// for milliseconds at a time, every process waits for a processor, whatever the controller does.
final class Siege {
    /// The size of a siege.
    struct Plan: Sendable {
        let seed: UInt64
        /// Hostile messages per socket.
        let messages: Int
        /// Intervals without attacks, each followed by one with attacks.
        let rounds: Int

        /// The time from one attack at each socket to the next.
        static let interval = Duration.milliseconds(1)

        /// Attacks in one interval with attacks; the equal interval without them.
        var attacks: Int { messages / rounds }
    }

    private static let sockets = ["clients", "devices", "telemetry", "stream"]
    /// The maximum number of subscriptions of one subscriber; libzmq has no limit of its own.
    private static let subscriptions = 64
    /// The timeout for the last replies: 64 logins wait, and one of a connection is checked each second.
    private static let timeout = Duration.seconds(80).slowed

    private let context: Context
    private let directory: String
    private let loop: Loop
    private let plan: Plan
    private let honest: HonestClient.Shared
    private var source: AttackSource
    private var lasting: [String: Socket] = [:]
    private let stranger: Socket
    private var subscribed: [[UInt8]] = []
    private var frames = Frames()
    private var report = SiegeReport()
    private let clock = ContinuousClock()
    private var failure: (any Error)?

    /// Connects to the sockets of a run directory.
    init(
        _ plan: Plan, directory: String, loot: AttackSource.Loot, honest: HonestClient.Shared,
        context: Context
    ) throws {
        (self.plan, self.directory, self.honest, self.context) = (plan, directory, honest, context)
        loop = try Loop(name: "siege", context: context)
        source = AttackSource(seed: plan.seed, loot: loot)
        stranger = try Self.connected(.dealer, "\(directory)/devices.sock", context)
        let kinds: [(String, SocketKind)] = [
            ("clients", .dealer), ("devices", .dealer), ("telemetry", .pub), ("stream", .sub),
        ]
        for (name, kind) in kinds {
            lasting[name] = try Self.connected(kind, "\(directory)/\(name).sock", context)
        }
    }

    /// Publishes random bytes until one message has arrived: before that, a publisher's messages are dropped.
    func awaitSubscription(_ isReceived: () throws -> Bool) throws {
        let clock = ContinuousClock()
        let start = clock.now
        while try !isReceived(), clock.now - start < .seconds(10).slowed {
            _ = try lasting["telemetry"]?.send(topic: Topic.telemetry, payload: [0xff])
        }
    }

    /// Waits and attacks in turn, and waits for the last reply that is owed; blocks its thread.
    func run() throws -> SiegeReport {
        defer { close() }
        proceed(0, at: clock.now)
        loop.run()
        if let failure { throw failure }
        let end = clock.now
        while Self.sockets.contains(where: isOwed), clock.now - end < Self.timeout { try receive() }
        return report
    }

    /// The interval of a number, from 0: each round has as many without attacks, then with attacks.
    private func proceed(_ number: Int, at instant: ContinuousClock.Instant) {
        if number.isMultiple(of: plan.attacks) { report.turns.append(clock.now) }
        guard number < 2 * plan.rounds * plan.attacks else { return loop.stop() }
        do {
            if !(number / plan.attacks).isMultiple(of: 2) {
                source.now = WallTime(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
                source.honest = honest.newest.value ?? source.honest
                for socket in Self.sockets { try attack(socket) }
            }
            try receive()
        } catch {
            failure = error
            return loop.stop()
        }
        let next = max(instant + Plan.interval, clock.now)
        _ = loop.schedule(at: next) { [self] in proceed(number + 1, at: next) }
    }

    private func close() {
        stranger.close()
        lasting.values.forEach { $0.close() }
    }

    private func isOwed(_ socket: String) -> Bool {
        report.answered[socket, default: 0] < report.owed[socket, default: 0]
    }

    private func attack(_ socket: String) throws {
        let attack: Attack
        switch socket {
        case "clients": attack = source.client()
        case "devices": attack = source.node()
        case "telemetry": attack = source.telemetry()
        default:
            attack = source.number(0...9) == 0 ? source.subscriber() : try subscribe()
        }
        try carryOut(attack, at: socket)
        report.sent[socket, default: [:]][attack.kind.rawValue, default: 0] += attack.count
        report.owed[socket, default: 0] += attack.answers ?? 0
        if let word = attack.refusedAs { report.refused[word, default: 0] += attack.count }
    }

    private func carryOut(_ attack: Attack, at socket: String) throws {
        let path = "\(directory)/\(socket).sock"
        switch attack.connection {
        case .lasting:
            for message in attack.messages { _ = try lasting[socket]?.sendWaiting(message) }
        case .stranger:
            for message in attack.messages { _ = try stranger.sendWaiting(message) }
        case .own:
            let own = try Self.connected(.dealer, path, context)
            for message in attack.messages { _ = try own.sendWaiting(message) }
            own.close()
        case .raw(let bytes, let kind):
            try RawConnection.send(bytes, as: kind, to: Endpoint.ipc(path: path))
        }
    }

    /// Adds a subscription to random bytes, and removes one when there are many.
    private func subscribe() throws -> Attack {
        let prefix = source.prefix()
        try lasting["stream"]?.subscribe(prefix: prefix)
        subscribed.append(prefix)
        if subscribed.count > Self.subscriptions {
            try lasting["stream"]?.unsubscribe(prefix: subscribed.removeFirst())
        }
        return Attack(kind: .subscription)
    }

    /// Reads every reply that has arrived; not reading them is another attack.
    private func receive() throws {
        for (name, socket) in [("clients", lasting["clients"]), ("devices", lasting["devices"])] {
            while try socket?.receive(into: &frames) == true { report.answered[name, default: 0] += 1 }
        }
        while try stranger.receive(into: &frames) { report.answered["devices", default: 0] += 1 }
    }

    private static func connected(_ kind: SocketKind, _ path: String, _ context: Context) throws -> Socket {
        var options = SocketOptions.defaults(for: kind)
        options.linger = .seconds(1)
        let socket = try Socket(kind, context: context, options: options)
        try socket.connect(Endpoint.ipc(path: path))
        return socket
    }
}
