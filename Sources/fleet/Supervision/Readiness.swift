import FleetProtocol
import Stepping

/// Judges whether a new fleet is ready: every device online, within its time.
struct Readiness: Sendable {
    /// What a look at the controller showed.
    enum Look: Equatable, Sendable {
        /// The controller has not left a session in the run directory.
        case noSession
        /// It did not answer; why, in words.
        case noAnswer(String)
        /// That many devices are online.
        case online(Int)
    }

    /// What follows from a look.
    enum Verdict: Equatable, Sendable {
        /// Every device is online.
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
        if case .online(let online) = look, online >= devices { return .ready }
        if startedAt.duration(to: now) >= patience { return .late(missing(look)) }
        guard now >= nextProgressAt else { return .again(say: nil) }
        nextProgressAt = now.advanced(by: Self.progressInterval)
        return .again(say: progress(look))
    }

    private func progress(_ look: Look) -> String {
        switch look {
        case .noSession, .noAnswer: "waiting for the controller"
        case .online(let online): "\(online) of \(devices) devices online"
        }
    }

    private func missing(_ look: Look) -> String {
        let seconds = patience.wholeMilliseconds / 1_000
        return switch look {
        case .noSession: "the controller left no session within \(seconds) s"
        case .noAnswer(let reason): "the controller did not answer within \(seconds) s: \(reason)"
        case .online(let online): "only \(online) of \(devices) devices were online within \(seconds) s"
        }
    }
}
