import FleetProtocol
import LoadCore
import Subprocess
import Synchronization
import UserText

/// Writes the metrics of loads to a file each second, and pushes them to an address every five seconds. A
/// failure does not end the load: the first one is a warning, and their number is shown at the end.
final class LoadExport: Sendable {
    private struct State {
        var run = 1
        var lastPush: MonotonicTime?
        var writes = ExportCount()
        var pushes = ExportCount()
    }

    private static let pushInterval: Duration = .seconds(5)
    /// The time for the last push of an interrupted load.
    private static let lastPush: Duration = .milliseconds(500)

    private let file: OutputFile?
    private let push: MetricsPushProcess?
    private let surroundings: Surroundings
    private let state = Mutex(State())
    /// The texts to push; a newer one replaces one that waits.
    private let (texts, feed) = AsyncStream.makeStream(of: String.self, bufferingPolicy: .bufferingNewest(1))

    init(file: OutputFile?, push: MetricsPushProcess?, in surroundings: Surroundings) {
        (self.file, self.push, self.surroundings) = (file, push, surroundings)
    }

    var isUsed: Bool { file != nil || push != nil }

    /// Checks that the file can be written, and that the program that pushes can be run.
    func check() throws(CommandFailure) {
        try file?.check()
        try push?.check()
    }

    /// Starts the export of a load, whose number among all loads is `index`, from 0.
    func begin(_ index: Int) { state.withLock { $0.run = index + 1 } }

    func receive(_ progress: LoadProgress) {
        guard isUsed else { return }
        let now = surroundings.now().monotonic
        let (run, isPushDue) = state.withLock { state in
            let isDue = state.lastPush.map { $0.duration(to: now) >= Self.pushInterval } ?? true
            if isDue { state.lastPush = now }
            return (state.run, isDue)
        }
        let text = LoadMetrics(progress, run: run).text
        write(text)
        if isPushDue { feed.yield(text) }
    }

    /// Runs loads, and exports the figures of the last one at their end. Once an interruption has come,
    /// pushes end within ``lastPush``.
    func during(
        _ interruption: LoadInterruption, _ work: () async throws -> [LoadMeasurement]
    ) async throws -> [LoadMeasurement] {
        try await withThrowingTaskGroup(of: Void.self) { group in
            if let push { group.addTask { await self.run(push) } }
            defer { feed.finish() }
            let measured = try await work()
            if isUsed, let last = measured.last {
                let text = LoadMetrics(last.result, run: measured.count).text
                write(text)
                feed.yield(text)
            }
            feed.finish()
            if push != nil {
                let (ends, end) = AsyncStream.makeStream(of: Never.self)
                await interruption.handle { end.finish() }
                group.addTask {
                    for await _ in ends {}
                    // It is cancelled by the end of the pushes, and cancels them otherwise.
                    _ = try? await self.surroundings.pause(Self.lastPush)
                }
                try await group.next()
                group.cancelAll()
            }
            try await group.waitForAll()
            if let file, let sum = state.withLock(\.writes.sum) {
                surroundings.notify("fleet: \(sum) writes of \(file.name) failed")
            }
            return measured
        }
    }

    private func run(_ push: MetricsPushProcess) async {
        await push.run(feeding: texts) { problem in
            if let first = self.state.withLock({ $0.pushes.record(problem) }) {
                self.surroundings.notify(
                    "fleet: cannot push metrics to \(push.url): \(first); the load goes on")
            }
        }
        if let sum = state.withLock(\.pushes.sum) {
            surroundings.notify("fleet: \(sum) pushes to \(push.url) failed")
        }
    }

    private func write(_ text: String) {
        guard let file else { return }
        var problem: String?
        do {
            try file.replace(with: text)
        } catch {
            problem = error.problem
        }
        if let first = state.withLock({ $0.writes.record(problem) }) {
            surroundings.notify("fleet: \(first); the load goes on")
        }
    }
}

struct ExportCount: Equatable, Sendable {
    private var all = 0
    private var failed = 0

    /// Counts an export; returns the problem if it is the first failure.
    mutating func record(_ problem: String?) -> String? {
        all += 1
        guard let problem else { return nil }
        failed += 1
        return failed == 1 ? problem : nil
    }

    /// The failures of all, such as `3 of 60`; nil without a failure.
    var sum: String? { failed == 0 ? nil : "\(failed) of \(all)" }
}

struct MetricsPushProcess: Sendable {
    let url: PushURL
    let surroundings: Surroundings

    func check() throws(CommandFailure) { try HTTPLoadProgram(in: surroundings).check() }

    /// Pushes texts until their stream ends, and reports the problem of each, nil for none.
    func run(feeding texts: AsyncStream<String>, _ report: @escaping @Sendable (String?) -> Void) async {
        do {
            try await HTTPLoadProgram(in: surroundings).run(["push", "--url", url.description]) {
                process, lines in
                let writer = process.standardInputWriter
                for await text in texts {
                    _ = try await writer.write(HTTPLoadLine.of(MetricsPushOrder(text: text)))
                    guard let line = try await lines.next() else { return report("http-load has ended") }
                    let ended = try HTTPLoadLine.decode(MetricsPushReport.self, from: Array(line.utf8))
                    report(ended.problem.map { SafeText.of($0) })
                }
            }
        } catch {
            report("\(error)")
        }
    }
}
