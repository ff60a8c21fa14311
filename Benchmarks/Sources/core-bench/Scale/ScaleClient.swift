import Bus
import CBench
import CoreParts
import FleetProtocol
import Foundation
import ProcessSupport

/// A client on one thread: sends single requests, or toggles at a fixed rate or at full speed.
final class ScaleClient {
    /// The result of toggles at a fixed rate.
    struct Figures {
        /// The time from each toggle's scheduled start to its reply, milliseconds.
        var tookMs: [Double] = []
        /// The longest turn of the controller's loop, milliseconds.
        var longestTurnMs = 0.0
        /// The time until the expected number of devices was online, seconds.
        var secondsToOnline = 0.0

        /// Returns a percentile of the latencies, milliseconds.
        func percentileMs(_ percent: Int) -> Double {
            tookMs.sorted()[min(tookMs.count - 1, tookMs.count * percent / 100)]
        }
    }

    private static let timeout: Double = 20
    /// Correlations from here on belong to queries for the controller's status.
    private static let questions: UInt64 = 1 << 62

    private let context: Context
    private let socket: Socket
    private var token: Token?
    private var frames = Frames()
    private var generator = SystemRandomNumberGenerator()
    private var correlation: UInt64 = 0

    /// Connects, waits for the controller, and logs in as the user of the demo account.
    init(to directory: RunDirectory) throws {
        let deadline = bench_now() + UInt64(Self.timeout * 1e9)
        var text: String?
        while text == nil {
            guard bench_now() < deadline else { throw BenchFailure.noReply }
            usleep(10_000)
            text = try directory.readDemoPassword()
        }
        context = try Context()
        socket = try Socket(.dealer, context: context, options: .bench)
        try socket.connect(try directory.endpoint(.clients))
        guard let password = text.flatMap(Password.init), let email = Email("demo@sensibus.local"),
            case .session(let session, let token) = try ask(.login(email: email, password: password))
        else { throw BenchFailure.setUp }
        self.token = token
        try StoredSession(session, token: token).write(to: directory.sessionFile)
    }

    /// Sends one request and waits for the reply.
    func ask(_ body: ClientRequest.Body) throws -> ClientReply.Body {
        correlation += 1
        let request = ClientRequest(correlation: correlation, token: token, body: body)
        _ = try socket.sendWaiting([[], request.wireBytes])
        while try socket.receiveWaiting(into: &frames) {
            let reply = try ClientReply(wireBytes: frames.array(at: 1))
            if reply.correlation == correlation { return reply.body }
        }
        throw BenchFailure.noReply
    }

    /// Returns the status of the fleet.
    func status() throws -> StatusReport {
        guard case .status(let report) = try ask(.status) else { throw BenchFailure.noReply }
        return report
    }

    /// Returns all devices of the account.
    func devices() throws -> [DeviceID] {
        var devices: [DeviceID] = []
        var cursor: UInt32? = 0
        while let next = cursor {
            guard case .snapshot(let chunk) = try ask(.snapshot(cursor: next)) else {
                throw BenchFailure.noReply
            }
            devices += chunk.rows.map(\.device)
            cursor = chunk.isLast ? nil : chunk.nextCursor
        }
        return devices
    }

    /// Toggles devices in a random order, with a number in flight, until a number have been applied.
    func toggle(_ devices: [DeviceID], times: Int, inFlight: Int) throws {
        var (sent, answered) = (0, 0)
        while answered < times {
            while sent < times, sent - answered < inFlight {
                try send(toggleOf: devices[Int.random(in: devices.indices, using: &generator)])
                sent += 1
            }
            guard try socket.receiveWaiting(into: &frames) else { throw BenchFailure.noReply }
            let reply = try ClientReply(wireBytes: frames.array(at: 1))
            guard case .outcome(let report) = reply.body, report.outcome.isFinal else {
                throw BenchFailure.toggle("\(reply.body)")
            }
            answered += 1
        }
    }

    /// Toggles devices in turn, one a millisecond, from an instant until a number of devices is online.
    func toggle(_ devices: [DeviceID], untilOnline count: Int, since began: UInt64) throws -> Figures {
        var figures = Figures()
        var starts: [UInt64: UInt64] = [:]
        var (sent, askedAt) = (UInt64(0), began)
        while figures.secondsToOnline == 0 || !starts.isEmpty {
            let now = bench_now()
            guard Double(now - began) / 1e9 < ScaleFleet.timeout else { throw BenchFailure.noReply }
            while figures.secondsToOnline == 0, began + sent * 1_000_000 <= now {
                try send(toggleOf: devices[Int(sent) % devices.count])
                starts[correlation] = began + sent * 1_000_000
                sent += 1
            }
            if now - askedAt > 100_000_000 {
                askedAt = now
                try send(.status, correlation: Self.questions)
            }
            while try socket.receive(into: &frames) {
                let reply = try ClientReply(wireBytes: frames.array(at: 1))
                if case .status(let report) = reply.body {
                    figures.record(report, untilOnline: count, seconds: Double(bench_now() - began) / 1e9)
                } else if let start = starts.removeValue(forKey: reply.correlation) {
                    guard case .outcome = reply.body else { throw BenchFailure.toggle("\(reply.body)") }
                    figures.tookMs.append(Double(bench_now() - start) / 1e6)
                }
            }
            usleep(100)
        }
        return figures
    }

    /// Closes the connection.
    func close() {
        socket.close()
        context.terminate()
    }

    private func send(toggleOf device: DeviceID) throws {
        let now = WallTime(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000))
        let command = Command(requestID: RequestID(at: now, using: &generator), device: device, kind: .toggle)
        correlation += 1
        try send(.command(command), correlation: correlation)
    }

    private func send(_ body: ClientRequest.Body, correlation: UInt64) throws {
        let request = ClientRequest(correlation: correlation, token: token, body: body)
        guard try socket.send(delimited: request.wireBytes) == .sent else { throw BenchFailure.noReply }
    }
}

extension ScaleClient.Figures {
    /// Records the controller's status.
    fileprivate mutating func record(_ report: StatusReport, untilOnline count: Int, seconds: Double) {
        longestTurnMs = max(longestTurnMs, Double(report.loopLagUs) / 1_000)
        if secondsToOnline == 0, Int(report.online) >= count { secondsToOnline = seconds }
    }
}
