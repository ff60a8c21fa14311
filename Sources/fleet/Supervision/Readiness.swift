import FleetProtocol
import Stepping

/// Judges whether a new fleet is ready: every device has come up, within its time.
///
/// Of many devices some are without a connection at any time, where the scenario has it so: what counts is
/// that a node that is there has named them.
struct Readiness: Sendable {
    /// What a look at the controller showed.
    enum Look: Equatable, Sendable {
        /// The controller has not left a session in the run directory.
        case noSession
        /// It did not answer; why, in words.
        case noAnswer(String)
        /// The gateway has not said where it listens.
        case noGateway
        /// That many devices have come up, with a connection or without.
        case up(Int)
    }

    /// What follows from a look.
    enum Verdict: Equatable, Sendable {
        /// Every device has come up.
        case ready
        /// Time is up; what was missing, in words.
        case late(String)
        /// Look again soon, and tell people that, if anything.
        case again(say: String?)
    }

    /// How often people are told how far the fleet is.
    static let progressInterval: Duration = .seconds(1)

    private let devices: Int
    private let patience: Duration
    private let startedAt: MonotonicTime
    private var nextProgressAt: MonotonicTime

    /// A judge for a fleet that has just been started.
    init(of plan: FleetPlan, at now: MonotonicTime) {
        devices = plan.devices
        patience = plan.patience
        startedAt = now
        nextProgressAt = now.advanced(by: Self.progressInterval)
    }

    /// What follows from a look.
    mutating func judge(_ look: Look, at now: MonotonicTime) -> Verdict {
        if case .up(let count) = look, count >= devices { return .ready }
        if startedAt.duration(to: now) >= patience { return .late(missing(look)) }
        guard now >= nextProgressAt else { return .again(say: nil) }
        nextProgressAt = now.advanced(by: Self.progressInterval)
        return .again(say: progress(look))
    }

    private func progress(_ look: Look) -> String {
        switch look {
        case .noSession, .noAnswer: "waiting for the controller"
        case .noGateway: "waiting for the gateway"
        case .up(let count): "\(count) of \(devices) devices have come up"
        }
    }

    private func missing(_ look: Look) -> String {
        let seconds = patience.wholeMilliseconds / 1_000
        return switch look {
        case .noSession: "the controller left no session within \(seconds) s"
        case .noAnswer(let reason): "the controller did not answer within \(seconds) s: \(reason)"
        case .noGateway: "the gateway did not listen within \(seconds) s"
        case .up(let count): "only \(count) of \(devices) devices came up within \(seconds) s"
        }
    }
}
