import FleetProtocol
import TestSupport

extension ClusterFigures {
    static let toggledWithin = Duration.seconds(3)
    static let nodesOnlineWithin = Duration.seconds(2)
    private static let nodesLostWithin = Duration.seconds(3)
    private static let nodesBackWithin = Duration.seconds(5)
    /// With the start of both controllers, and new connections of all peers.
    static let movedWithin = Duration.seconds(2)
    private static let fencedWithin = Duration.seconds(3)
    /// The 99th percentile of other cells during a loss may be this many times that of calm periods, and this
    /// much more: all hosts share the processors of one machine, on which programs start.
    private static let latencyFactor = 5
    private static let latencyAllowance = Duration.milliseconds(150)
    /// With 1 % loss: TCP repeats a lost packet after 0.2 s or more, and all later ones wait for it.
    private static let lossyWithin = Duration.seconds(3)
    /// A toggle passes four links, each with 20 ms.
    private static let lossyAtLeast = Duration.milliseconds(80)

    /// The bounds that were exceeded, and the steps that were not performed.
    ///
    /// - Parameter histories: The history of each cell, by its name.
    func violations(of plan: ClusterPlan, in histories: [String: [Asked]]) -> [Violation] {
        stepViolations(of: plan) + timeViolations(in: histories) + latencyViolations(in: histories)
            + changeViolations(in: histories)
    }

    private func stepViolations(of plan: ClusterPlan) -> [Violation] {
        var texts = ClusterPlan.Step.allCases
            .filter { steps[$0, default: 0] < plan.steps[$0, default: 0] }
            .map { "\($0) \(steps[$0, default: 0]) times of \(plan.steps[$0, default: 0])" }
        if lostHostCount < plan.losses { texts.append("\(lostHostCount) hosts lost of \(plan.losses)") }
        let controllers = plan.steps[.controllerLost, default: 0]
        if refusedControllers < controllers { texts.append("\(refusedControllers) controllers refused") }
        return texts.map { Violation(promise: .faults, text: $0) }
    }

    private func timeViolations(in histories: [String: [Asked]]) -> [Violation] {
        let bounded: [(what: String, times: [Duration], limit: Duration)] = [
            ("first toggle after a mount", firstToggles, Self.toggledWithin),
            ("end of a controller that was replaced", fenced, Self.fencedWithin),
            ("offline(nodeLost) after a cut", nodesLost, Self.nodesLostWithin),
            ("online after the end of a cut", nodesOnline, Self.nodesOnlineWithin),
            ("online after the start of a lost node", nodesBack, Self.nodesBackWithin),
            ("time without toggles of a moved account", pausesOfMoves(in: histories), Self.movedWithin),
        ]
        return bounded.compactMap { what, times, limit in
            let late = times.filter { $0 > limit.slowed }
            guard !late.isEmpty else { return nil }
            return Violation(promise: .recovery, text: "\(what): \(late), ≤ \(limit.slowed)")
        }
    }

    private func latencyViolations(in histories: [String: [Asked]]) -> [Violation] {
        var found: [Violation] = []
        if !losses.isEmpty {
            let (others, calm) = latencies(in: histories)
            let during = TortureReport.quantile(0.99, of: others)
            let bound = Self.latencyBound(calm)
            if (during ?? .seconds(1_000)) > bound ?? .zero {
                let text = "p99 of other cells during a loss: \(Self.text(during)), ≤ \(Self.text(bound))"
                found.append(Violation(promise: .isolation, text: text))
            }
        }
        if !lossy.isEmpty {
            let times = lossyLatencies(in: histories)
            let (half, most) = (
                TortureReport.quantile(0.5, of: times), TortureReport.quantile(0.99, of: times)
            )
            if half ?? .zero < Self.lossyAtLeast || most ?? .zero > Self.lossyWithin.slowed {
                let text = "1 % loss: p50 \(Self.text(half)), p99 \(Self.text(most))"
                found.append(Violation(promise: .recovery, text: text))
            }
        }
        return found
    }

    private func changeViolations(in histories: [String: [Asked]]) -> [Violation] {
        var found: [Violation] = []
        if !fenced.isEmpty, answersOfFormer.before == 0 || answersOfFormer.after > 0 {
            let text = "\(answersOfFormer.after) answers after the mount, \(answersOfFormer.before) before"
            found.append(Violation(promise: .stale, text: text))
        }
        let failed = failures(in: histories).failed
        if !failed.isEmpty {
            let text = "\(failed.count) requests failed while a cell was added: \(failed[0].answer)"
            found.append(Violation(promise: .isolation, text: text))
        }
        for (occasion, counts) in logIns
        where !counts.wrong.isEmpty || counts.sessions == 0 || counts.moved == 0 {
            let text = "\(occasion): \(counts): \(counts.wrong.prefix(3))"
            found.append(Violation(promise: .logIns, text: text))
        }
        return found
    }

    /// The bound of other cells' latencies during a loss; nil without calm periods.
    static func latencyBound(_ calm: [Duration]) -> Duration? {
        TortureReport.quantile(0.99, of: calm).map { $0 * latencyFactor + latencyAllowance.slowed }
    }

    private static func text(_ time: Duration?) -> String { time.map { "\($0)" } ?? "none" }
}
