import FleetProtocol

/// The events of a run over several cells.
struct ClusterReport: Sendable, CustomStringConvertible {
    let plan: ClusterPlan
    let took: Duration
    /// The history of each cell, by its name.
    let histories: [String: [Asked]]
    let figures: ClusterFigures
    let violations: [Violation]
    /// The steps with their times; shown if promises were broken.
    let diary: [String]

    /// The number of toggles that were acknowledged, of all cells together.
    var acknowledged: Int { histories.values.joined().count(where: \.isAcknowledged) }

    var description: String {
        let lines =
            [
                "cluster: seed \(plan.seed), \(Int(took / .seconds(1))) s, \(acknowledged) toggles acknowledged, "
                    + "\(figures.lostHostCount) hosts lost: "
                    + figures.lostHosts.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
                    .joined(separator: ", ")
            ]
            + lossLines + networkLines + cellLines
            + [
                "\(judgedCount(of: .appliedOnce)) acknowledged toggles lost, "
                    + "\(judgedCount(of: .usedOnce)) doubled, \(judgedCount(of: .oneEnd)) answered in two ways"
            ]
        return
            (lines.map { "measured: \($0)" } + ["violations \(violations.count)"]
            + violations.map(\.description) + figures.failedAccounts + figures.failedMoves
            + (violations.isEmpty ? [] : diary)).joined(separator: "\n")
    }

    private func judgedCount(of promise: Violation.Promise) -> Int {
        violations.count { $0.promise == promise }
    }

    private var lossLines: [String] {
        let (others, calm) = figures.latencies(in: histories)
        let bound = ClusterFigures.latencyBound(calm).map { "\(Self.milliseconds($0))" } ?? "none"
        let answers = figures.answersOfFormer
        return [
            "first toggle after a volume was mounted: \(Self.text(figures.firstToggles)) "
                + "(≤ \(ClusterFigures.toggledWithin))",
            "other cells while one is lost: \(Self.text(others)); in calm periods: \(Self.text(calm)) "
                + "(p99 ≤ \(bound))",
            "controllers on a host without the volume: \(figures.refusedControllers) refused",
            "controllers that were frozen while another host mounted the volume: ended "
                + "\(Self.text(figures.fenced)) after they continued; \(answers.after) answers after the mount "
                + "(\(answers.before) before); first toggle \(Self.text(figures.togglesBesideFrozen)) after it",
            "devices online after the start of a lost node: \(Self.text(figures.nodesBack))",
            "users of the page at the other gateway: \(Self.text(figures.pagesBack))",
        ]
    }

    private var networkLines: [String] {
        let slow = figures.lossyLatencies(in: histories)
        return [
            "half of the nodes cut off for \(plan.cut): offline(nodeLost) after \(Self.text(figures.nodesLost)), "
                + "online after \(Self.text(figures.nodesOnline)) (≤ \(ClusterFigures.nodesOnlineWithin))",
            "1 % loss and 20 ms delay on every link: \(Self.text(slow))",
        ]
    }

    private var cellLines: [String] {
        let (failed, requests) = figures.failures(in: histories)
        let took =
            figures.added.map { "within \(Self.milliseconds($0.upperBound - $0.lowerBound))" } ?? "never"
        return ["a cell added \(took): \(failed.count) of \(requests) requests failed"]
            + [
                "accounts moved under load: without toggles for "
                    + "\(Self.text(figures.pausesOfMoves(in: histories))) (≤ \(ClusterFigures.movedWithin)); "
                    + "\(figures.queriedAfterMoves) earlier requests queried in the other cell; "
                    + "\(figures.failedMoves.count) commands refused, and repeated"
            ]
            + ["accounts: \(figures.failedAccounts.count) commands failed, and were repeated"]
            + figures.logIns.map { "\($0.occasion): \($0.counts)" }
    }

    private static func text(_ times: [Duration]) -> String {
        guard let half = TortureReport.quantile(0.5, of: times),
            let most = TortureReport.quantile(0.99, of: times), let all = TortureReport.quantile(1, of: times)
        else { return "none" }
        return "\(times.count) times, p50 \(milliseconds(half)), p99 \(milliseconds(most)), "
            + "max \(milliseconds(all))"
    }

    private static func milliseconds(_ time: Duration) -> String { "\(Int(time / .milliseconds(1))) ms" }
}
