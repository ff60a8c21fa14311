import FleetProtocol
import LoadCore
import Synchronization
import UserText

/// How long `fleet load` waits for `http-load`, which reports its progress each second.
///
/// The limits are those of one tester of several: a process that is silent is lost, and one that still
/// reports long after the end of its load has stopped to make progress.
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

    /// Records that the order to run a load was sent.
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
    /// The interval between two looks at the wait.
    private static let interval: Duration = .milliseconds(200)

    private let wait: Mutex<HTTPLoadWait>
    private let surroundings: Surroundings

    /// A timer that begins now.
    init(_ surroundings: Surroundings) {
        wait = Mutex(HTTPLoadWait(at: surroundings.now().monotonic))
        self.surroundings = surroundings
    }

    func change(_ change: (inout HTTPLoadWait, MonotonicTime) -> Void) {
        let now = surroundings.now().monotonic
        wait.withLock { change(&$0, now) }
    }

    /// Returns the failure with which the wait ends, once it ends.
    ///
    /// - Throws: `CancellationError` if the task is cancelled.
    func failure() async throws -> CommandFailure {
        while true {
            let now = surroundings.now().monotonic
            if let failure = wait.withLock({ $0.failure(at: now) }) { return failure }
            try await surroundings.pause(Self.interval)
        }
    }
}
