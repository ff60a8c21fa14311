import FleetProtocol

/// The events of a run.
struct TortureReport: Sendable, CustomStringConvertible {
    let plan: TorturePlan
    let took: Duration
    let faults: [TorturePlan.Fault: Int]
    /// Why faults were omitted.
    let skipped: [String]
    let history: [Asked]
    /// Entries in the devices' memories; nil if they have none.
    let entries: Int?
    let recoveries: Recoveries
    /// The times from the end of network faults until every device was online and a new toggle succeeded.
    let healings: [NetworkFault: [Duration]]
    let stops: [Duration]
    /// The time from the end of faults to the resolution of the last unknown outcome, and the number of
    /// these.
    let resolved: (after: Duration, count: Int)
    /// The results of toggles over HTTP.
    let page: TorturePage.Counts
    let peaks: [String: Sampler.Peak]
    let journalMiB: Int
    let openAtStarts: [Int]
    let violations: [Violation]
    /// The faults with their times; shown if promises were broken.
    let diary: [String]

    func count(_ kind: Asked.Kind? = nil, where matches: (Asked.Reply) -> Bool = { _ in true }) -> Int {
        history.count { (kind == nil || $0.kind == kind) && matches($0.answer) }
    }

    private func outcomes(_ name: String) -> Int {
        count(.toggle) { if case .outcome(let outcome) = $0 { outcome.name == name } else { false } }
    }

    var description: String {
        let possible = TorturePlan.Fault.allCases.filter { plan.faults[$0] != nil || self.faults[$0] != nil }
        let faults = possible.map { "\($0.name) \(self.faults[$0] ?? 0)" }
        return
            ([
                "torture: seed \(plan.seed), durability \(plan.durability), \(Self.rounded(took))",
                "faults: " + (faults + skipped).joined(separator: ", "),
                "requests: \(count(.toggle)) toggles, \(count(.repetition)) repeats, \(cancels) cancels",
                outcomeText, cancelText,
                "over HTTP: \(page.toggles) of these toggles, \(page.acknowledged) acknowledged, "
                    + "\(page.conflicts) in conflict, \(page.repetitions) repeats, \(page.losses) answers lost",
                "devices: " + (entries.map { "\($0) entries in their memories" } ?? "no memory"),
                "first new toggle after a kill of the controller: \(Self.text(recoveries.judged)); "
                    + "beside a frozen node or with another fault at the same time: "
                    + Self.text(recoveries.others),
                "controller: \(openAtStarts.count) runs, \(openAtStarts.count { $0 > 0 }) of them found "
                    + "\(openAtStarts.reduce(0, +)) open requests",
                "end by SIGTERM: \(Self.text(stops))",
                "unknown at healing: \(resolved.count), the last resolved after \(Self.rounded(resolved.after))",
                peakText,
            ] + healingTexts + ["violations \(violations.count)"] + violations.map(\.description)
            + (violations.isEmpty ? [] : diary)).joined(separator: "\n")
    }

    private var cancels: Int {
        count(.cancel) + count(.toggle) { if case .cancel = $0 { true } else { false } }
    }

    private var outcomeText: String {
        let names = ["applied", "conflict", "rejected", "cancelled", "expired", "unknown", "undetermined"]
        var refusals: [String: Int] = [:]
        for case .refused(let refusal) in history.lazy.filter({ $0.kind == .toggle }).map(\.answer) {
            refusals[refusal.name, default: 0] += 1
        }
        let refused = refusals.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }
        let unsent = count(.toggle) { $0 == .unsent }
        return "toggles: acknowledged "
            + names.map { "\($0) \(outcomes($0))" }.joined(separator: ", ")
            + ", refused (\(refused.joined(separator: ", "))), never sent \(unsent)"
    }

    private var cancelText: String {
        func answers(_ name: String) -> Int {
            count { if case .cancel(let answer) = $0 { answer.name == name } else { false } }
        }
        return "cancels: in time \(answers("cancelled")), too late \(answers("tooLate")), "
            + "pending \(answers("cancelPending"))"
    }

    private var healingTexts: [String] {
        NetworkFault.allCases.compactMap { fault in
            healings[fault].map { "recovered after \(fault.name): \(Self.text($0))" }
        }
    }

    private var peakText: String {
        let text = peaks.sorted { $0.key < $1.key }.map {
            "\($0.key) \($0.value.residentMiB) MiB and \($0.value.descriptors) descriptors"
        }
        return "at most: " + text.joined(separator: ", ") + ", journal \(journalMiB) MiB"
    }

    /// The quantile of some times; nil if there are none.
    static func quantile(_ part: Double, of times: [Duration]) -> Duration? {
        guard !times.isEmpty else { return nil }
        return times.sorted()[min(times.count - 1, Int(part * Double(times.count)))]
    }

    private static func text(_ times: [Duration]) -> String {
        guard let half = quantile(0.5, of: times), let most = quantile(0.95, of: times),
            let all = quantile(1, of: times)
        else { return "none" }
        return "\(times.count) times, p50 \(rounded(half)), p95 \(rounded(most)), max \(rounded(all))"
    }

    private static func rounded(_ time: Duration) -> String {
        let milliseconds = Int(time / .milliseconds(1))
        return milliseconds < 10_000 ? "\(milliseconds) ms" : "\(milliseconds / 1_000) s"
    }
}
