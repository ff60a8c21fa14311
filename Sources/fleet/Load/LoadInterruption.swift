import ArgumentParser
import LoadCore
import Synchronization
import UnixSignals

/// Ctrl-C during a load or the reason to abort it, and the handler of the current step.
final class LoadInterruption: Sendable {
    private struct State {
        var count = 0
        var reason: String?
        var handler: (@Sendable () async -> Void)?
    }

    /// The time after which a signal to work that starts programs counts again.
    private static let timeout: Duration = .milliseconds(400)

    private let state = Mutex(State())

    var hasCome: Bool { count > 0 }
    var count: Int { state.withLock(\.count) }

    /// The condition that aborted the load; nil if none did.
    var reason: String? { state.withLock(\.reason) }

    /// Ends the load as Ctrl-C does, unless it is ending.
    func abort(because reason: String) async {
        let isFirst = state.withLock { state in
            guard state.count == 0, state.reason == nil else { return false }
            state.reason = reason
            return true
        }
        if isFirst { await come() }
    }

    func come() async {
        let handler = state.withLock { state in
            state.count += 1
            return state.handler
        }
        await handler?()
    }

    /// Runs work, and counts each signal until its end. Work that starts programs ends within 2 s, so it
    /// waits with `pause`: the first signal counts again after ``timeout``, and after another; SIGTERM and
    /// SIGHUP then cancel it.
    func count(
        _ signals: UnixSignalsSequence, pausing pause: (@Sendable (Duration) async throws -> Void)? = nil,
        during work: @escaping @Sendable () async throws -> ExitStatus
    ) async throws -> ExitStatus {
        let (firsts, first) = AsyncStream.makeStream(of: UnixSignal.self)
        return try await withThrowingTaskGroup(of: ExitStatus?.self) { group in
            group.addTask { try await work() }
            group.addTask {
                for await signal in signals {
                    first.yield(signal)
                    await self.come()
                }
                return nil
            }
            if let pause {
                group.addTask {
                    for await signal in firsts { try await self.insist(signal, pause) }
                    return nil
                }
            }
            var status: ExitStatus?
            while status == nil, let next = try await group.next() { status = next }
            group.cancelAll()
            return status ?? .refused
        }
    }

    private func insist(_ signal: UnixSignal, _ pause: (Duration) async throws -> Void) async throws {
        for _ in 0..<2 {
            try await pause(Self.timeout)
            await come()
        }
        try await pause(Self.timeout)
        if signal != .sigint { throw CommandFailure.interrupted }
    }

    /// Sets the handler of later interruptions; it runs at once if there was one already.
    func handle(_ handler: @escaping @Sendable () async -> Void) async {
        let hasCome = state.withLock { state in
            state.handler = handler
            return state.count > 0
        }
        if hasCome { await handler() }
    }
}

struct LoadFiles: ParsableArguments {
    @Option(help: ArgumentHelp("Write the result as JSON; - for standard output.", valueName: "file"))
    var json: String?

    @Option(help: ArgumentHelp("Write the latencies for HdrHistogram's tools.", valueName: "file"))
    var hgrm: String?

    @Option(help: ArgumentHelp("Write an HTML page with plots.", valueName: "file")) var html: String?

    @Option(
        help: ArgumentHelp("Write a CSV row for each second: counts and percentiles.", valueName: "file"))
    var csv: String?

    @Option(
        name: [.customLong("metrics-file"), .customLong("openmetrics")],
        help: ArgumentHelp(
            "Write metrics each second, in Prometheus' text format, for node_exporter's textfile collector.",
            valueName: "file"))
    var metricsFile: String?

    @Option(
        name: .customLong("metrics-push"),
        help: ArgumentHelp(
            "Push metrics every five seconds and at the end, with PUT, to a Pushgateway.", valueName: "url"),
        transform: { text in try valid { try PushURL(text) } })
    var metricsPush: PushURL?

    @Option(
        help: ArgumentHelp(
            """
            Compare with the JSON of an earlier result; or with another version, whose executables are in this \
            directory: its runs alternate with those of this version.
            """, valueName: "file|directory"))
    var compare: String?

    func export(in surroundings: Surroundings) -> LoadExport {
        LoadExport(
            file: metricsFile.map { OutputFile($0, in: surroundings) },
            push: metricsPush.map { MetricsPushProcess(url: $0, surroundings: surroundings) },
            in: surroundings)
    }
}
