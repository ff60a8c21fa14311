import FleetProtocol
import Testing

@testable import LoadCore

/// A load against a simulated fleet, in virtual time.
struct VirtualRun {
    /// The fleet's reaction to a message.
    struct Reply {
        /// The delay of the reply.
        let delay: Duration
        /// The reply; nil for none.
        let body: ClientReply.Body?
    }

    /// The start of the load.
    static let start = MonotonicTime(nanoseconds: 5_000_000_000)

    private(set) var load: Load
    /// Every message in the order of sending, with its time.
    private(set) var sent: [(message: LoadMessage, at: MonotonicTime)] = []
    private(set) var now = Self.start
    private var answers = Timers<ClientReply>()
    private let devices: Int

    init(_ plan: LoadPlan, devices count: Int = 100, isShared: Bool = false) {
        devices = count
        let ids = (0..<UInt64(count)).map { DeviceID(fleetSeed: 1, index: $0) }
        load = Load(plan, devices: ids, idSeed: 7, startingAt: Self.start, isShared: isShared)
    }

    /// Runs the load to its end.
    ///
    /// - Parameters:
    ///   - lateness: The delay of each of the tester's actions.
    ///   - isBlocked: Whether connections accept nothing at a moment, counted from the start.
    ///   - reconnect: When all connections are lost and made again, counted from the start; nil for never.
    ///   - watch: Called with the load and the time at each turn.
    ///   - fleet: Its reaction to a message that arrives at a moment, counted from the start.
    mutating func finish(
        lateness: Duration = .zero, isBlocked: (Duration) -> Bool = { _ in false },
        reconnectingAt reconnect: Duration? = nil,
        watching watch: (inout Load, MonotonicTime) -> Void = { _, _ in },
        _ fleet: (LoadMessage, Duration) -> Reply
    ) throws {
        var turns = 0
        var reconnect = reconnect.map { Self.start.advanced(by: $0) }
        while !load.isDone(at: now) {
            turns += 1
            try #require(turns < 5_000_000, "the load does not end")
            while let reply = answers.popDue(at: now) { load.answered(reply, at: now) }
            if let time = reconnect, time <= now {
                for connection in 0..<load.plan.connections { load.connected(connection, at: now) }
                reconnect = nil
            }
            load.turn(at: now)
            watch(&load, now)
            let moment = Moment(monotonic: now, wall: WallTime(unixMilliseconds: now.nanoseconds / 1_000_000))
            while let message = load.nextMessage(at: moment) {
                let elapsed = Self.start.duration(to: now)
                if isBlocked(elapsed) {
                    load.blocked(message, at: now, isConnected: true)
                } else {
                    receive(message, elapsed, fleet)
                }
            }
            let next = [load.nextDue(after: now)?.advanced(by: lateness), answers.nextDue, reconnect]
            now = max(now, next.compactMap(\.self).min() ?? now)
        }
    }

    private mutating func receive(
        _ message: LoadMessage, _ elapsed: Duration, _ fleet: (LoadMessage, Duration) -> Reply
    ) {
        load.sent(message, at: now)
        sent.append((message, now))
        let answer = fleet(message, elapsed)
        guard let body = answer.body else { return }
        answers.set(
            ClientReply(correlation: message.request.correlation, body: body),
            at: now.advanced(by: answer.delay))
    }

    /// The measurements.
    var result: LoadResult { load.measurement(against: []).result }

    /// The commands among the messages.
    var commands: [Command] {
        sent.compactMap { message, _ in
            guard case .command(let command) = message.request.body else { return nil }
            return command
        }
    }
}

extension LoadMessage {
    /// The message as a request on the bus.
    var request: ClientRequest {
        guard let token = Token([UInt8](repeating: 1, count: Token.length)) else {
            preconditionFailure("a token has \(Token.length) bytes")
        }
        return request(as: token)
    }

    /// A report on the command, for a fleet that applies it.
    func report(
        _ outcome: Outcome = .applied(.sample), timing: OutcomeReport.Timing = .init()
    ) -> ClientReply.Body {
        guard case .command(let command) = request.body, let user = Email("demo@sensibus.local") else {
            preconditionFailure("only a command has a report")
        }
        return .outcome(
            OutcomeReport(
                requestID: command.requestID, device: command.device, outcome: outcome, user: user,
                attempts: 1, timing: timing))
    }
}

extension DeviceState {
    /// On, cooling to 22 °C, at version 4.
    static let sample = DeviceState(
        state: ACState(isOn: true, mode: .cool, targetTemperature: 22, fanLevel: .auto), version: Version(4),
        incarnation: Incarnation(bits: 0xabc))
}

extension LoadPlan {
    /// An open loop of ten seconds.
    static func open(
        perSecond rate: Double, _ arrivals: Arrivals = .uniform, warmup: Duration = .zero,
        duration: Duration = .seconds(10), connections: Int = 1, cancelRatio: Double = 0,
        retryRatio: Double = 0, seed: UInt64 = 1
    ) throws -> LoadPlan {
        try LoadPlan(
            .rate(perSecond: rate, arrivals), warmup: warmup, duration: duration, connections: connections,
            cancelRatio: cancelRatio, retryRatio: retryRatio, seed: seed)
    }
}
