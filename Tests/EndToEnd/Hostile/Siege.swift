import Bus
import Circumstances
import FleetProtocol
import Foundation
import Stepping

/// Hostile peers at all four sockets of a controller, and one honest client among them.
///
/// One thread does everything in turn: some hostile messages to each socket, then an honest toggle behind
/// them, whose time is taken.
final class Siege {
    /// The size of a siege.
    struct Plan: Sendable {
        let seed: UInt64
        /// Hostile messages a socket.
        let messages: Int
        /// Of those, how many come before each honest toggle.
        let burst: Int
    }

    private static let sockets = ["clients", "devices", "telemetry", "stream"]
    /// Subscriptions that one subscriber keeps; libzmq has no bound of its own.
    private static let subscriptions = 64

    private let context: Context
    private let directory: String
    private let honest: HonestClient
    private var source: AttackSource
    private var lasting: [String: Socket] = [:]
    private let stranger: Socket
    private var subscribed: [[UInt8]] = []
    private var frames = Frames()
    private var report = SiegeReport()

    /// Connects to the sockets of a run directory.
    init(_ plan: Plan, directory: String, loot: AttackSource.Loot, context: Context) throws {
        (self.directory, self.context) = (directory, context)
        source = AttackSource(seed: plan.seed, loot: loot)
        honest = try HonestClient(
            Endpoint.ipc(path: "\(directory)/clients.sock"), context: context, token: loot.token,
            devices: loot.devices.map(\.id), at: Self.now())
        stranger = try Self.connected(.dealer, "\(directory)/devices.sock", context)
        let kinds: [(String, SocketKind)] = [
            ("clients", .dealer), ("devices", .dealer), ("telemetry", .pub), ("stream", .sub),
        ]
        for (name, kind) in kinds {
            lasting[name] = try Self.connected(kind, "\(directory)/\(name).sock", context)
        }
    }

    /// Publishes nonsense until somebody has heard it: before that, a publisher's messages go nowhere.
    func awaitSubscription(_ isHeard: () throws -> Bool) throws {
        let clock = ContinuousClock()
        let start = clock.now
        while try !isHeard(), clock.now - start < .seconds(10).slowed {
            _ = try lasting["telemetry"]?.send(topic: Topic.telemetry, payload: [0xff])
        }
    }

    /// Toggles alone, then under fire, and waits for the last answer that is owed.
    func run(_ plan: Plan) throws -> SiegeReport {
        let rounds = plan.messages / plan.burst
        for _ in 0..<rounds { report.alone.append(try honest.toggle(at: Self.now())) }
        for _ in 0..<rounds {
            source.now = Self.now()
            source.honest = honest.newest
            for socket in Self.sockets { try attack(socket, count: plan.burst) }
            report.underFire.append(try honest.toggle(at: source.now))
            try hear()
        }
        let clock = ContinuousClock()
        let end = clock.now
        while Self.sockets.contains(where: isOwed), clock.now - end < .seconds(10).slowed { try hear() }
        (report.asked, report.applied) = (honest.asked, honest.applied)
        report.surprises = honest.surprises
        close()
        return report
    }

    private func close() {
        honest.close()
        stranger.close()
        lasting.values.forEach { $0.close() }
    }

    private func isOwed(_ socket: String) -> Bool {
        report.answered[socket, default: 0] < report.owed[socket, default: 0]
    }

    private func attack(_ socket: String, count: Int) throws {
        var sent = 0
        while sent < count {
            let attack: Attack
            switch socket {
            case "clients": attack = source.client()
            case "devices": attack = source.node()
            case "telemetry": attack = source.telemetry()
            default:
                attack = source.number(0...9) == 0 ? source.subscriber() : try subscribe()
            }
            try carryOut(attack, at: socket)
            sent += attack.count
            report.sent[socket, default: [:]][attack.kind.rawValue, default: 0] += attack.count
            report.owed[socket, default: 0] += attack.answers ?? 0
            if let word = attack.refusedAs { report.refused[word, default: 0] += attack.count }
        }
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
        case .raw(let bytes):
            try RawPeer.send(bytes, to: path)
        }
    }

    /// One more subscription to nonsense, and one fewer when there are many.
    private func subscribe() throws -> Attack {
        let prefix = source.prefix()
        try lasting["stream"]?.subscribe(prefix: prefix)
        subscribed.append(prefix)
        if subscribed.count > Self.subscriptions {
            try lasting["stream"]?.unsubscribe(prefix: subscribed.removeFirst())
        }
        return Attack(kind: .subscription)
    }

    /// Takes every answer that has come; who does not read is another attack.
    private func hear() throws {
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

    private static func now() -> WallTime {
        WallTime(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
    }
}
