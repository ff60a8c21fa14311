import FleetProtocol

@testable import LoadCore

/// A load over HTTP against a simulated gateway, in virtual time.
struct HTTPRun {
    /// The gateway's reaction to a request.
    enum Reply {
        case answer(HTTPLoad.Response, after: Duration)
        case lostConnection(after: Duration)
        case none
    }

    private enum Event: Hashable {
        case opened(Int)
        case replied(UInt64)
    }

    static let start = MonotonicTime(nanoseconds: 5_000_000_000)

    private(set) var http: HTTPLoad
    private(set) var sent: [HTTPLoad.Request] = []
    private(set) var closed: [Int] = []
    private(set) var mostInFlight = 0
    private(set) var opened = 0
    private var inFlight: [Int: (number: UInt64, reply: Reply)] = [:]
    private var events = Timers<Event>()
    private var lastNumber: UInt64 = 0
    private(set) var now = Self.start

    init(_ plan: LoadPlan, devices count: Int = 10) {
        let ids = (0..<UInt64(count)).map { DeviceID(fleetSeed: 1, index: $0) }
        http = HTTPLoad(connections: plan.connections, states: ids.map { ($0, false) })
        http.begin(Load(plan, devices: ids, idSeed: 7, startingAt: Self.start, isRepeating: false))
    }

    /// Runs the load to its end, and returns its result.
    mutating func finish(
        watching watch: (inout HTTPLoad, Duration) -> Void = { _, _ in },
        _ gateway: (Int, Duration) -> Reply
    ) throws -> LoadResult {
        for _ in 0..<1_000_000 {
            while let event = events.popDue(at: now) { handle(event) }
            watch(&http, Self.start.duration(to: now))
            var effects: [HTTPLoad.Effect] = []
            let moment = Moment(monotonic: now, wall: WallTime(unixMilliseconds: now.nanoseconds / 1_000_000))
            http.turn(at: moment, into: &effects)
            for effect in effects { carryOut(effect, gateway) }
            if let load = http.finish(at: now) { return load.measurement(against: []).result }
            let next = [http.nextDue(after: now), events.nextDue]
            now = max(now, next.compactMap(\.self).min() ?? now)
        }
        throw PlanError("the load does not end")
    }

    private mutating func carryOut(_ effect: HTTPLoad.Effect, _ gateway: (Int, Duration) -> Reply) {
        switch effect {
        case .open(let connection):
            opened += 1
            events.set(.opened(connection), at: now)
        case .close(let connection):
            closed.append(connection)
            inFlight[connection] = nil
        case .send(let request, let connection):
            precondition(inFlight[connection] == nil, "two requests on one connection")
            let after = Self.start.duration(to: now)
            sent.append(request)
            http.sent(over: connection, at: now)
            lastNumber += 1
            let reply = gateway(sent.count, after)
            inFlight[connection] = (lastNumber, reply)
            mostInFlight = max(mostInFlight, inFlight.count)
            switch reply {
            case .answer(_, let delay), .lostConnection(let delay):
                events.set(.replied(lastNumber), at: now.advanced(by: delay))
            case .none: break
            }
        }
    }

    private mutating func handle(_ event: Event) {
        switch event {
        case .opened(let connection): http.opened(connection)
        case .replied(let number):
            guard let (connection, request) = inFlight.first(where: { $0.value.number == number }) else {
                return
            }
            inFlight[connection] = nil
            if case .answer(let response, _) = request.reply {
                http.answered(connection, with: response, at: now)
            } else {
                http.closed(connection, at: now)
            }
        }
    }
}

extension HTTPLoad.Response {
    /// A response of the gateway to any request that was carried out.
    static let success = Self(
        status: 200, body: Array(#"{"status":"success","result":{"status":"Success","id":"x"}}"#.utf8))
}
