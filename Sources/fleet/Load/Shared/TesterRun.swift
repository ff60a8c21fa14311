import FleetClient
import FleetProtocol
import LoadCore
import UserText

/// One run of a tester: from its first report to the delivery of its result.
struct TesterRun: Sendable {
    struct Measured: Sendable {
        let recording: LoadRecording
        let result: LoadResult
        /// The largest difference of its start from the instant of the coordinator, microseconds.
        let startErrorUs: Double
    }

    private struct Start {
        let time: MonotonicTime
        /// Half of the time that the question took, or the lateness if that is longer.
        let error: Duration

        /// The start, or the present if it has passed: then the error is how late that is.
        func adjusted(to now: MonotonicTime) -> Start {
            time >= now ? self : Start(time: now, error: max(error, time.duration(to: now)))
        }
    }

    /// The interval between two reports before the start.
    private static let readyInterval: Duration = .milliseconds(50)
    /// The time before the start in which the tester no longer asks for it.
    private static let quietTime: Duration = .milliseconds(500)
    /// The pause before a part that the coordinator does not await yet is sent again; it doubles each time.
    private static let (partPause, longestPartPause): (Duration, Duration) = (
        .milliseconds(5), .milliseconds(500)
    )
    /// The time for which a load test must be unknown until it counts as ended.
    private static let unknownLimit: Duration = .seconds(5)

    let part: LoadPart
    let devices: [DeviceID]
    let agent: RequestID
    let name: NodeName
    let link: LoadTestLink
    let surroundings: Surroundings
    let interruption: LoadInterruption

    // MARK: Measuring

    /// Waits for the start, and measures; nil if the load test ended before.
    func measure(with driver: LoadDriver, _ progress: AsyncStream<LoadProgress>) async throws -> Measured? {
        guard let start = try await awaitStart() else { return nil }
        surroundings.notify(
            "fleet: tester \(part.order.tester + 1) of \(part.order.testers), "
                + LoadSummary.text(for: part.plan, devices: devices.count))
        await interruption.handle { await driver.interrupt() }
        let load = try await withThrowingTaskGroup(of: Void.self) { group in
            group.addTask { await report(progress) { await driver.interrupt() } }
            defer { group.cancelAll() }
            return try await driver.run(
                part.plan, on: devices, startingAt: start.time.advanced(by: part.offset), isShared: true)
        }
        surroundings.showProgress(nil)
        return Measured(
            recording: load.recording, result: load.measurement(against: []).result,
            startErrorUs: (start.error / .microseconds(1)).rounded())
    }

    /// Reports that this tester is ready until the start is near; nil if the load test has ended.
    private func awaitStart() async throws -> Start? {
        var best: Start?
        var unknown = UnknownTest(limit: Self.unknownLimit)
        while !interruption.hasCome {
            let asked = surroundings.now().monotonic
            let reply = try await link.send(.report(report(of: .ready)))
            let answered = surroundings.now().monotonic
            switch reply {
            case .signal(.start(let inUs)):
                let error = asked.duration(to: answered) / 2
                let start = Start(time: asked.advanced(by: error + .microseconds(inUs)), error: error)
                if error < best?.error ?? .seconds(3_600) { best = start }
                if answered.duration(to: start.time) < Self.quietTime { return best?.adjusted(to: answered) }
                unknown.reset()
            case .signal(.wait): unknown.reset()
            case nil: if unknown.hasLasted(at: answered) { return nil }
            default: return nil
            }
            try await surroundings.pause(Self.readyInterval)
        }
        return nil
    }

    /// Shows and reports the progress, and stops the load when its coordinator does or is lost.
    private func report(_ progress: AsyncStream<LoadProgress>, stop: @Sendable () async -> Void) async {
        var unknown = UnknownTest(limit: Limits.loadTestLease * 2)
        var stops = 0
        for await step in progress {
            surroundings.showProgress(LoadSummary.line(of: step))
            // The load goes on while the controller does not answer: that is what it measures.
            let reply = try? await link.send(.report(report(of: .running, TesterProgress(step))))
            var wanted = 0
            switch reply {
            case .signal(.start), .signal(.wait): unknown.reset()
            case .signal(.stop): wanted = 1
            case .signal(.abandon): wanted = 2
            case nil: wanted = unknown.hasLasted(at: surroundings.now().monotonic) ? 2 : 0
            default: wanted = 2
            }
            while stops < wanted {
                stops += 1
                await stop()
            }
        }
    }

    private func report(
        of phase: TesterPhase, _ progress: TesterProgress = TesterProgress()
    ) -> TesterReport {
        TesterReport(
            id: part.order.id, agent: agent, tester: part.order.tester, name: name, phase: phase,
            progress: progress)
    }

    // MARK: The result

    /// Sends a result in parts, and waits until the coordinator has ended the load test, or for a second
    /// Ctrl-C. Returns whether the coordinator took the whole result.
    func deliver(_ result: TesterResult, of measured: Measured) async throws -> Bool {
        let (bytes, progress) = (result.json, TesterProgress(measured.result))
        var offset = 0
        var (isTaken, pause) = (false, Self.partPause)
        var unknown = UnknownTest(limit: Self.unknownLimit)
        var reply = try await link.send(.report(report(of: .done, progress)))
        while reply != .ended, interruption.count < 2 {
            reply = try await link.send(.part(part(of: bytes, at: offset)))
            if case .taken(let next)? = reply {
                unknown.reset()
                let isNew = next != UInt64(offset)
                offset = min(Int(clamping: next), bytes.count)
                isTaken = offset == bytes.count
                pause = isNew ? Self.partPause : min(pause * 2, Self.longestPartPause)
                if isNew { continue }
            } else if reply == nil {
                // After a restart of the controller, the next report takes the place again.
                if unknown.hasLasted(at: surroundings.now().monotonic) { return isTaken }
                reply = try await link.send(.report(report(of: .done, progress)))
            }
            try await surroundings.pause(pause)
        }
        return isTaken
    }

    private func part(of bytes: [UInt8], at offset: Int) -> TesterPart {
        let end = min(offset + Limits.loadPartBytes, bytes.count)
        return TesterPart(
            id: part.order.id, tester: part.order.tester, offset: UInt64(offset),
            content: Array(bytes[offset..<end]), isLast: end == bytes.count)
    }
}

/// How long the controller has not known a load test: its coordinator may open it again after a restart.
private struct UnknownTest {
    let limit: Duration
    private var since: MonotonicTime?

    init(limit: Duration) { self.limit = limit }
    mutating func reset() { since = nil }

    /// Records that the test is unknown; returns whether it has been for the limit.
    mutating func hasLasted(at now: MonotonicTime) -> Bool {
        let first = since ?? now
        since = first
        return first.duration(to: now) > limit
    }
}

extension TesterProgress {
    /// The progress for the coordinator; none during the warm-up.
    fileprivate init(_ step: LoadProgress) {
        let (totals, isWarmup) = (step.totals, step.elapsed < .zero)
        self.init(
            offered: isWarmup ? 0 : UInt64(totals.offered), applied: isWarmup ? 0 : UInt64(totals.applied),
            failed: isWarmup ? 0 : UInt64(totals.failed), inFlight: UInt32(clamping: step.inFlight),
            p50Us: UInt64(totals.recent.p50 ?? 0), p99Us: UInt64(totals.recent.p99 ?? 0))
    }

    fileprivate init(_ result: LoadResult) {
        self.init(
            offered: UInt64(result.offered), applied: UInt64(result.applied), failed: UInt64(result.failed))
    }
}
