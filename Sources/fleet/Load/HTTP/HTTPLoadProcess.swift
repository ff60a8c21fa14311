import FleetProtocol
import Glibc
import LoadCore
import ProcessSupport
import Subprocess
import Synchronization
import SystemPackage
import UserText

/// The process `http-load`, which sends the requests of a load over HTTP.
struct HTTPLoadProcess: Sendable {
    private typealias Lines = HTTPLoadProgram.Lines

    let plans: [LoadPlan]
    let objectives: [Objective]
    let surroundings: Surroundings
    /// Ctrl-C: the first stops a load, the second also stops waiting for answers, the third ends the process.
    let interruption: LoadInterruption
    let watch: LoadWatch

    /// Runs the loads with the session's token; the states of the devices alternate from their present ones.
    func measure(
        on devices: [ListedDevice], of gateway: GatewayURL, trusting certificates: String?,
        as session: StoredSession
    ) async throws -> [LoadMeasurement] {
        let opening = HTTPLoadOpening(
            url: gateway, certificates: certificates,
            token: CellToken(session.token, in: session.cell).text, connections: plans[0].connections,
            states: devices.map { .init(device: $0.id.description, isOn: $0.reported.state.isOn) })
        let timer = HTTPLoadTimer(surroundings)
        return try await withThrowingTaskGroup(of: [LoadMeasurement].self) { group in
            // It is cancelled if the wait ends first, which ends the process.
            group.addTask { try await run(opening, within: timer) }
            group.addTask { throw try await timer.failure() }
            defer { group.cancelAll() }
            return try await group.next() ?? []
        }
    }

    private func run(
        _ opening: HTTPLoadOpening, within timer: HTTPLoadTimer
    ) async throws -> [LoadMeasurement] {
        await interruption.handle { interrupt(timer) }
        return try await HTTPLoadProgram(in: surroundings).run { process, lines in
            let writer = process.standardInputWriter
            try await send(.open(opening), to: writer)
            guard case .opened = try await report(from: &lines, within: timer) else { throw Self.disorder }
            await interruption.handle {
                interrupt(timer)
                // A process that has ended needs no order.
                _ = try? await send(interruption.count > 1 ? .abandon : .stop, to: writer)
            }
            var measured: [LoadMeasurement] = []
            defer { watch.end() }
            for plan in plans where measured.isEmpty || !interruption.hasCome {
                watch.begin(plan, measured.count, of: plans.count)
                let text = LoadSummary.text(for: plan, devices: opening.states.count)
                surroundings.notify("fleet: \(text), over HTTP to \(opening.url)")
                timer.change { $0.began(plan, at: $1) }
                try await send(.run(LoadResult.Plan(plan), objectives: objectives.map(\.text)), to: writer)
                measured.append(try await result(from: &lines, within: timer))
            }
            // It ends when its input ends; one that does not is ended.
            try await writer.finish()
            await process.teardown(using: HTTPLoadProgram.options.teardownSequence)
            return measured
        }
    }

    private func interrupt(_ timer: HTTPLoadTimer) {
        timer.change { $0.interrupted(interruption.count, at: $1) }
    }

    private func send(_ order: HTTPLoadOrder, to writer: StandardInputWriter) async throws {
        _ = try await writer.write(HTTPLoadLine.of(order))
    }

    private func result(
        from lines: inout Lines, within timer: HTTPLoadTimer
    ) async throws -> LoadMeasurement {
        while true {
            switch try await report(from: &lines, within: timer) {
            case .progress(let step): await watch.follow(step)
            case .measured(let measurement): return measurement
            case .opened, .failed: throw Self.disorder
            }
        }
    }

    /// Returns the next report; throws a reported failure.
    private func report(from lines: inout Lines, within timer: HTTPLoadTimer) async throws -> HTTPLoadReport {
        guard let line = try await lines.next() else {
            throw CommandFailure(
                .refused, "http-load ended without a result", advice: "its messages are above")
        }
        timer.change { $0.reported(at: $1) }
        let report = try HTTPLoadLine.decode(HTTPLoadReport.self, from: Array(line.utf8))
        if case .failed(let failure) = report { throw CommandFailure(failure) }
        return report
    }

    private static let disorder = CommandFailure(
        .bug, "http-load has sent another report than expected",
        advice: "use programs of the same build")
}

extension CommandFailure {
    /// The failure of a load that `http-load` cannot run, with advice for its cause.
    fileprivate init(_ failure: HTTPLoadFailure) {
        let advice =
            switch failure.cause {
            case .unreachable: "`fleet status` shows whether the gateway runs"
            case .untrusted: "--ca FILE names the certificates to trust, PEM"
            case .otherHost: "give a host name or an address that the certificate has in --url"
            case .certificateFile: "--ca takes a readable file with certificates, PEM"
            case .builtWithoutTLS: "build it with `make build`, or with `swift build --traits TLS`"
            case .order: "use programs of the same build"
            }
        self.init(failure.cause == .order ? .bug : .absent, SafeText.of(failure.reason), advice: advice)
    }
}

/// The program `http-load`, which has the libraries for HTTP and TLS, so that `fleet` is built without them.
struct HTTPLoadProgram: Sendable {
    typealias Process = Execution<CustomWriteInput, SequenceOutput, FileDescriptorOutput>
    typealias Lines = SubprocessOutputSequence.StringSequence<UTF8>.AsyncIterator

    static let options = PlatformOptions.stopping(within: .milliseconds(300))

    private let path: String

    init(in surroundings: Surroundings) { path = "\(surroundings.executableDirectory)/http-load" }

    /// Checks that the program can be run, before anything is started.
    func check() throws(CommandFailure) {
        try Executable.check(
            path, advice: "`make build` builds it with the gateway: the programs must be beside `fleet`")
    }

    /// Runs the program, and ends it if the body or its task ends first. The body takes the process and the
    /// lines of its standard output.
    func run<Result: Sendable>(
        _ arguments: Arguments = [], _ body: (Process, inout Lines) async throws -> Result
    ) async throws -> Result {
        try await Subprocess.run(
            .path(FilePath(path)), arguments: arguments, platformOptions: Self.options, input: .inputWriter,
            output: .sequence, error: .currentStandardError
        ) { process in
            var lines = process.standardOutput.strings(bufferingPolicy: .maxLineLength(HTTPLoadLine.limit))
                .makeAsyncIterator()
            return try await body(process, &lines)
        }.closureResult
    }
}

/// How long `fleet load` waits for `http-load`, which reports its progress each second. The limits are those
/// of one tester of several: a process that is silent is lost, and one that still reports long after the end
/// of its load has stopped to make progress.
struct HTTPLoadWait: Sendable {
    /// The silence after which the process is lost.
    private static let lease = Limits.loadTestLease
    /// The time beyond that of a load within which its result must arrive.
    private static let margin = lease * 2

    private var lastReportAt: MonotonicTime
    /// The start of the current load, and the time at which its result is late; nil between loads.
    private var load: (start: MonotonicTime, end: MonotonicTime)?
    /// The time from an interruption to the last answer.
    private var answerTime = Duration.zero
    private var interruptions = 0

    /// A wait that begins with the start of the process.
    init(at now: MonotonicTime) { lastReportAt = now }

    mutating func began(_ plan: LoadPlan, at now: MonotonicTime) {
        let longest = plan.warmup + plan.duration + plan.answerTime + Self.margin
        (lastReportAt, answerTime) = (now, plan.answerTime)
        load = (now, now.advanced(by: longest))
    }

    mutating func reported(at now: MonotonicTime) { lastReportAt = now }

    /// Records how often the user has interrupted the load; from then on it lasts no longer than its answers.
    mutating func interrupted(_ count: Int, at now: MonotonicTime) {
        guard count > interruptions else { return }
        interruptions = count
        let left = (count == 1 ? answerTime : .zero) + Self.margin
        if let load { self.load = (load.start, min(load.end, now.advanced(by: left))) }
    }

    /// Returns why the process is to be ended now; nil while it may still answer.
    func failure(at now: MonotonicTime) -> CommandFailure? {
        if interruptions > 2 {
            return CommandFailure(.refused, "interrupted: http-load was ended before its result")
        }
        if lastReportAt.duration(to: now) >= Self.lease {
            return CommandFailure(
                .absent, "http-load was silent for \(DurationText.text(Self.lease)), and was ended",
                advice: "run the load again; if it happens again, use programs of the same build")
        }
        guard let load, load.end <= now else { return nil }
        let taken = Duration.seconds(load.start.duration(to: now).components.seconds)
        return CommandFailure(
            .absent, "http-load sent no result within \(DurationText.text(taken)), and was ended",
            advice: "use a lower rate")
    }
}

/// A wait that several tasks share, with the clock of the command.
final class HTTPLoadTimer: Sendable {
    private static let interval: Duration = .milliseconds(200)

    private let wait: Mutex<HTTPLoadWait>
    private let surroundings: Surroundings

    init(_ surroundings: Surroundings) {
        wait = Mutex(HTTPLoadWait(at: surroundings.now().monotonic))
        self.surroundings = surroundings
    }

    func change(_ change: (inout HTTPLoadWait, MonotonicTime) -> Void) {
        let now = surroundings.now().monotonic
        wait.withLock { change(&$0, now) }
    }

    /// Returns the failure with which the wait ends, once it ends.
    func failure() async throws -> CommandFailure {
        while true {
            let now = surroundings.now().monotonic
            if let failure = wait.withLock({ $0.failure(at: now) }) { return failure }
            try await surroundings.pause(Self.interval)
        }
    }
}
