import Bus
import CBench
import CoreParts
import FleetProtocol
import Foundation

/// Toggles devices in turn over one connection at a fixed rate, independent of the latency of replies, and
/// records the latency of each reply.
final class ToggleLoad {
    /// The result.
    struct Figures {
        /// The latency of each applied toggle, nanoseconds.
        var took: [UInt64] = []
        /// The controller's times for each: total, journal, and the way to the device and back.
        var timings: [OutcomeReport.Timing] = []
        /// Outcomes other than `applied`, as text.
        var surprises: [String] = []
        /// The time from the first toggle to the last reply.
        var nanoseconds: UInt64 = 0
        /// The longest turn of the controller's loop, over the queried seconds.
        var longestTurnUs: UInt64 = 0
        /// The number of queried seconds.
        var reportedSeconds = 0

        /// Applied toggles a second.
        var perSecond: Double { Double(took.count) / Double(nanoseconds) * 1e9 }
        /// The median time of an applied toggle, microseconds.
        var medianUs: Double { Measuring.median(took.map { Double($0) }) / 1_000 }
        /// The medians of its parts, as text.
        var parts: String {
            func median(_ part: (OutcomeReport.Timing) -> Int64) -> String {
                Line.text(Measuring.median(timings.map { Double(part($0)) }), 0)
            }
            let (all, journal) = (median { Int64($0.totalUs) }, median { Int64($0.journalUs) })
            let (wire, device) = (median { Int64($0.wireUs) }, median { Int64($0.deviceUs) })
            return "in the controller \(all) µs: journal \(journal), wire \(wire), device \(device)"
        }
    }

    private static let messagesPerTurn = 1_024
    /// The timeout of the last replies.
    private static let timeout: Duration = .seconds(10)
    /// Correlations from here on belong to queries for the controller's status.
    private static let questions: UInt64 = 1 << 62

    private let loop: Loop
    private let socket: Socket
    private let token: Token
    private let devices: [DeviceID]
    private let perSecond: Int
    private let duration: Duration
    private var frames = Frames()
    private var generator = SystemRandomNumberGenerator()
    private var sentAt: [UInt64: UInt64] = [:]
    private var asked = 0
    private var began: UInt64 = 0
    private var figures = Figures()
    private var failure: (any Error)?

    /// Loads a fleet for a time and until all replies have arrived; blocks its thread.
    static func run(perSecond: Int, for duration: Duration, on fleet: BenchFleet) throws -> Figures {
        let context = try Context()
        defer { context.terminate() }
        let load = try ToggleLoad(perSecond: perSecond, for: duration, fleet, context)
        defer { load.socket.close() }
        load.begin()
        load.loop.run()
        if let failure = load.failure { throw failure }
        return load.figures
    }

    private init(perSecond: Int, for duration: Duration, _ fleet: BenchFleet, _ context: Context) throws {
        (self.perSecond, self.duration) = (perSecond, duration)
        loop = try Loop(name: "load", context: context)
        socket = try Socket(.dealer, context: context, options: .bench)
        try socket.connect(fleet.clients)
        let token = try fleet.token
        self.token = token
        devices = try Self.devices(socket, token)
        guard devices.count == fleet.devices else { throw BenchFailure.setUp }
    }

    /// Returns the account's devices, pulled chunk by chunk.
    private static func devices(_ socket: Socket, _ token: Token) throws -> [DeviceID] {
        var devices: [DeviceID] = []
        var cursor: UInt32? = 0
        var frames = Frames()
        while let next = cursor {
            let question = ClientRequest(correlation: 0, token: token, body: .snapshot(cursor: next))
            _ = try socket.sendWaiting([[], question.wireBytes])
            guard try socket.receiveWaiting(into: &frames),
                case .snapshot(let chunk) = try ClientReply(wireBytes: frames.array(at: 1)).body
            else { throw BenchFailure.noReply }
            devices += chunk.rows.map(\.device)
            cursor = chunk.isLast ? nil : chunk.nextCursor
        }
        return devices
    }

    private func begin() {
        loop.register(socket) { [self] in attempt { try receive() } }
        began = bench_now()
        _ = loop.schedule(after: .zero) { [self] in keepPace() }
        _ = loop.schedule(after: .seconds(1)) { [self] in attempt { try askStatus() } }
    }

    /// Sends the due requests, and schedules itself a millisecond later until all replies have arrived.
    private func keepPace() {
        let elapsed = bench_now() - began
        let length = UInt64(duration / .nanoseconds(1))
        let due = Int(Double(min(elapsed, length)) * Double(perSecond) / 1e9)
        attempt { while asked < due { try toggle() } }
        let isOver = elapsed >= length && sentAt.isEmpty
        if isOver || elapsed >= length + UInt64(Self.timeout / .nanoseconds(1)) { return end() }
        _ = loop.schedule(after: .milliseconds(1)) { [self] in keepPace() }
    }

    private func toggle() throws {
        let id = RequestID(
            at: WallTime(unixMilliseconds: Int64(Date().timeIntervalSince1970 * 1_000)), using: &generator)
        let command = Command(requestID: id, device: devices[asked % devices.count], kind: .toggle)
        let correlation = UInt64(asked)
        let request = ClientRequest(correlation: correlation, token: token, body: .command(command))
        asked += 1
        sentAt[correlation] = bench_now()
        guard try socket.send(delimited: request.wireBytes) == .sent else { throw BenchFailure.noReply }
    }

    /// Queries twice a second, because the controller reports its last full second.
    private func askStatus() throws {
        let question = ClientRequest(correlation: Self.questions, token: token, body: .status)
        guard try socket.send(delimited: question.wireBytes) == .sent else { throw BenchFailure.noReply }
        _ = loop.schedule(after: .milliseconds(500)) { [self] in attempt { try askStatus() } }
    }

    private func receive() throws {
        for _ in 0..<Self.messagesPerTurn {
            guard try socket.receive(into: &frames) else { break }
            let reply = try ClientReply(wireBytes: frames.array(at: 1))
            if case .status(let status) = reply.body {
                figures.longestTurnUs = max(figures.longestTurnUs, UInt64(status.loopLagUs))
                figures.reportedSeconds += 1
                continue
            }
            guard let start = sentAt.removeValue(forKey: reply.correlation) else { continue }
            if case .outcome(let report) = reply.body, case .applied = report.outcome {
                figures.took.append(bench_now() - start)
                figures.timings.append(report.timing)
            } else {
                figures.surprises.append("\(reply.body)")
            }
        }
    }

    private func end() {
        figures.nanoseconds = bench_now() - began
        figures.surprises += sentAt.map { _ in "no reply" }
        loop.stop()
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
