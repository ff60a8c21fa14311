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

/// Shows and exports the progress of loads, and ends a load once a condition holds. At a terminal it shows
/// live lines, else one line for each second.
final class LoadWatch: Sendable {
    private let conditions: Mutex<[AbortCondition]>
    private let screen = Mutex(LoadScreen(title: ""))
    private let isLive: Bool
    private let isShared: Bool
    private let export: LoadExport
    private let interruption: LoadInterruption
    private let surroundings: Surroundings

    /// A watch whose display is live only where the terminal can replace lines.
    init(
        _ conditions: [AbortCondition], isLive: Bool, isShared: Bool = false, exportingTo export: LoadExport,
        stopping interruption: LoadInterruption, in surroundings: Surroundings
    ) {
        self.conditions = Mutex(conditions)
        (self.isLive, self.isShared, self.export) = (isLive, isShared, export)
        (self.interruption, self.surroundings) = (interruption, surroundings)
    }

    /// Starts to watch a load, whose number among all loads is `index`, from 0.
    func begin(_ plan: LoadPlan, _ index: Int, of count: Int) {
        let run = count > 1 ? "run \(index + 1) of \(count), " : ""
        let title = run + LoadSummary.demand(of: plan)
        screen.withLock { $0 = LoadScreen(title: title, isShared: isShared) }
        surroundings.showProgress(nil)
        export.begin(index)
    }

    func end() { surroundings.showProgress(nil) }

    func follow(_ second: LoadProgress) async {
        show(second)
        export.receive(second)
        let held = conditions.withLock { conditions in
            conditions.indices.filter { conditions[$0].holds(after: second) }.map { conditions[$0].text }
        }
        if let condition = held.first { await interruption.abort(because: condition) }
    }

    private func show(_ progress: LoadProgress) {
        guard isLive, let columns = surroundings.terminal.columns() else {
            return surroundings.showProgress(LoadSummary.line(of: progress, isShared: isShared))
        }
        let lines = screen.withLock { screen in
            screen.receive(progress)
            // A full last column would let some terminals begin another line.
            return screen.lines(width: columns - 1)
        }
        surroundings.showProgress(lines.joined(separator: "\n"))
    }
}
