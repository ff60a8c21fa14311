import FleetProtocol
import LoadCore
import UserText

struct LoadSummary {
    let report: LoadReport
    let comparison: LoadComparison?

    var lines: [String] {
        let body = report.steps.count > 1 ? sweepLines : lines(of: report.last)
        return body + floorLines + comparisonLines
    }

    // MARK: One load

    private func lines(of step: LoadReport.Step) -> [String] {
        let result = step.result
        return [
            "offered   \(FigureText.rate(result.offeredPerSecond)), \(Self.requests(result.offered, of: result)) in "
                + Self.duration(of: result),
            "applied   \(FigureText.rate(result.throughputPerSecond)), \(Self.requests(result.applied, of: result)); "
                + "\(FigureText.count(result.failed)) failed",
            "outcomes  " + Self.outcomes(of: result), "",
        ] + latencies(of: result).lines + [""] + Self.kinds(of: result) + Self.testers(of: result)
            + Self.notes(on: result)
            + Self.objectiveResults(of: step)
    }

    /// The latency with its parts below it; a self-test has no parts of controller and devices.
    private func latencies(of result: LoadResult) -> TextTable {
        var table = TextTable([
            ("TIME", .left), ("MEAN", .right), ("P50", .right), ("P90", .right), ("P99", .right),
            ("P99.9", .right), ("MAX", .right),
        ])
        table.add(["latency, since due"] + result.latencyUs.texts)
        for (name, figures) in result.hopParts
        where report.target != .echo || ["tester", "reply"].contains(name) {
            table.add([name] + figures.texts, indent: 2)
        }
        table.add(["service, since sent"] + result.serviceUs.texts)
        return table
    }

    private static func duration(of result: LoadResult) -> String {
        DurationText.text(.milliseconds(Int64(result.durationSeconds * 1_000)))
    }

    private static func outcomes(of result: LoadResult) -> String {
        let counts = result.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }
        return counts.map { "\($0.key) \(FigureText.count($0.value))" }.joined(separator: ", ")
    }

    private static func notes(on result: LoadResult) -> [String] {
        var notes: [String] = []
        if let cancels = result.cancels {
            notes.append(
                "cancels   \(FigureText.count(cancels.inTime)) in time, \(FigureText.count(cancels.tooLate)) too "
                    + "late, \(cancels.pending) pending, \(cancels.refused) refused, \(cancels.noAnswer) without "
                    + "an answer; p99 \(FigureText.time(us: cancels.latencyUs.p99))")
        }
        if let retries = result.retries {
            notes.append(
                "repeats   \(FigureText.count(retries.alike)) same answer, \(retries.different) different, "
                    + "\(retries.undecided) undecided, \(retries.noAnswer) without an answer")
        }
        if result.plan.inFlight == nil {
            notes.append(lateness(of: result))
        } else {
            notes.append(
                "note      closed loop: latencies are understated during stalls (coordinated omission)")
        }
        if !result.isComplete {
            let whole = DurationText.text(.milliseconds(Int64(result.plan.durationSeconds * 1_000)))
            let lost = result.lostTesters.count
            notes.append(
                lost > 0
                    ? "note      \(Count.of(lost, "tester")) lost: the figures are those of the others"
                    : result.abortedBy.map { "aborted   after \(duration(of: result)) of \(whole): \($0)" }
                        ?? "note      interrupted after \(duration(of: result)) of \(whole)")
        }
        return notes
    }

    /// The figures of each kind of request; empty for a load of toggles.
    private static func kinds(of result: LoadResult) -> [String] {
        guard let kinds = result.kinds else { return [] }
        var table = TextTable([
            ("KIND", .left), ("COUNT", .right), ("P50", .right), ("P90", .right), ("P99", .right),
            ("P99.9", .right), ("MAX", .right), ("OUTCOMES", .left),
        ])
        for kind in kinds { table.add(kind.row) }
        return table.lines + [""]
    }

    /// The part of each tester, with its own lateness; empty for one tester.
    private static func testers(of result: LoadResult) -> [String] {
        guard let testers = result.testers else { return [] }
        var table = TextTable([
            ("TESTER", .left), ("OFFERED", .right), ("APPLIED", .right), ("FAILED", .right), ("P50", .right),
            ("P99", .right), ("LATE P99", .right), ("START WITHIN", .right),
        ])
        for tester in testers { table.add(tester.row(lost: "LOST")) }
        return table.lines + [""]
    }

    /// The tester's own lateness, and whether it is a part of the measured latency.
    private static func lateness(of result: LoadResult) -> String {
        let late = result.testerLateUs
        let line =
            "tester    late by p50 \(FigureText.time(us: late.p50)), p99 \(FigureText.time(us: late.p99)), "
            + "max \(FigureText.time(us: late.max))"
        let use = result.testerUseText.map { "; \($0)" } ?? ""
        return line + (result.isTesterLate ? ": a part of the latency is the tester's" : "") + use
    }

    private static func objectiveResults(of step: LoadReport.Step) -> [String] {
        step.objectiveResults.map { objectiveResult in
            return "slo       \(objectiveResult.slo): \(objectiveResult.isMet ? "met" : "MISSED"), "
                + step.valueText(of: objectiveResult)
        }
    }

    // MARK: A sweep

    private var sweepLines: [String] {
        var table = TextTable([
            (report.isRepeated ? "RUN" : "RATE", .right), ("APPLIED", .right), ("FAILED", .right),
            ("P50", .right), ("P99", .right), ("P99.9", .right), ("MAX", .right), ("TESTER LATE P99", .right),
            ("SLO", .left),
        ])
        for (index, step) in report.steps.enumerated() {
            let (result, latency) = (step.result, step.result.latencyUs)
            table.add(
                [
                    report.isRepeated ? "\(index + 1)" : FigureText.rate(result.plan.ratePerSecond ?? 0),
                    FigureText.rate(result.throughputPerSecond),
                    FigureText.count(result.failed),
                ]
                    + [latency.p50, latency.p99, latency.p999, latency.max, result.testerLateUs.p99].map {
                        FigureText.time(us: $0)
                    } + [Self.word(for: step)])
        }
        return table.lines
    }

    private static func word(for step: LoadReport.Step) -> String {
        let lost = step.result.lostTesters.map { ", LOST \($0)" }.joined()
        if step.objectiveResults.isEmpty { return "–" + lost }
        let missed = step.objectiveResults.filter { !$0.isMet }.map(\.slo)
        return (missed.isEmpty ? "met" : "MISSED " + missed.joined(separator: " ")) + lost
    }

    // MARK: A self-test

    /// The lower limit of the tester's measurements.
    private var floorLines: [String] {
        guard let floor = report.floorUs else { return [] }
        let figures = [("p50", floor.p50), ("p99", floor.p99), ("p99.9", floor.p999), ("max", floor.max)]
        let text = figures.map { "\($0) \(FigureText.time(us: $1))" }.joined(separator: ", ")
        return ["floor     \(text): what tester and sockets take without a fleet"]
    }

    // MARK: A comparison

    private var comparisonLines: [String] {
        guard let comparison else { return [] }
        var table = TextTable([("COMPARED", .left), ("BEFORE", .right), ("NOW", .right), ("CHANGE", .left)])
        for row in comparison.rows { table.add(row.texts) }
        return [""] + table.lines + [comparison.basis]
            + comparison.differences.map { "settings differ: \($0)" }
    }

    // MARK: Texts

    private static func requests(_ count: Int, of result: LoadResult) -> String {
        let word = result.kinds == nil ? "toggle" : "request"
        return "\(FigureText.count(count)) \(word)\(count == 1 ? "" : "s")"
    }

    /// Returns a line that describes a load before it runs.
    static func text(for plan: LoadPlan, devices: Int) -> String {
        "loading \(Count.of(devices, "device")) over \(Count.of(plan.connections, "connection")), "
            + "\(demand(of: plan)), \(plan.mix.map { "\($0.text), " } ?? "")\(length(of: plan))"
    }

    static func demand(of plan: LoadPlan) -> String {
        switch plan.demand {
        case .rate(let rate, let arrivals): "\(FigureText.rate(rate)), \(arrivals.rawValue)"
        case .ramp(let ramp, let arrivals): "ramp \(ramp.text), \(arrivals.rawValue)"
        case .inFlight(let count): "\(count) in flight"
        }
    }

    static func length(of plan: LoadPlan) -> String {
        let warmup = plan.warmup > .zero ? "after \(DurationText.text(plan.warmup)) of warm-up " : ""
        return "\(warmup)for \(DurationText.text(plan.duration))"
    }

    static func text(for result: LoadResult) -> String {
        "\(FigureText.count(result.applied)) applied, \(FigureText.count(result.failed)) failed, "
            + "p50 \(FigureText.time(us: result.latencyUs.p50)), p99 \(FigureText.time(us: result.latencyUs.p99))"
    }

    /// Returns the progress line of a load; the latencies of several testers are the highest of all.
    static func line(of progress: LoadProgress, isShared: Bool = false) -> String {
        let (totals, most) = (progress.totals, isShared ? "up to " : "")
        return
            "\(progress.place): \(FigureText.count(totals.applied)) applied, "
            + "\(FigureText.count(totals.failed)) failed, \(progress.inFlight) in flight, "
            + "p50 \(most)\(FigureText.time(us: totals.recent.p50)), "
            + "p99 \(most)\(FigureText.time(us: totals.recent.p99))"
    }

    /// The failure of loads without applied toggles; its status is that of the most frequent outcome of the
    /// last load that had any toggle due.
    static func failure(of report: LoadReport) -> CommandFailure {
        guard let result = report.steps.last(where: { $0.result.offered > 0 })?.result else {
            return nothingDue(in: report.last.result)
        }
        let most = result.outcomes.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
        let status: ExitStatus =
            switch most {
            case "noAnswer", "notSent", "abandoned", "offline", "connectionLost", "http502", "http504":
                .absent
            case "unauthenticated", "notFound", "notAllowed", "offDuty", "moved", "http401", "http403",
                "http404":
                .notPermitted
            case "busy", "unknown", "undetermined", "http429": .undecided
            default: .refused
            }
        return CommandFailure(
            status, "no toggle was applied: \(outcomes(of: result))",
            advice: "check `fleet status` and `fleet doctor`")
    }

    static let interrupted = CommandFailure(
        .refused, "interrupted before anything was measured", advice: "let it run longer")

    private static func nothingDue(in result: LoadResult) -> CommandFailure {
        guard result.isComplete || !result.lostTesters.isEmpty else {
            return result.abortedBy.map {
                CommandFailure(.refused, "aborted before anything was measured: \($0)")
            } ?? interrupted
        }
        let advice =
            result.plan.inFlight == nil
            ? "raise the rate or the duration" : "no toggle of the warm-up has an answer: see `fleet status`"
        let word = result.kinds == nil ? "toggle" : "request"
        return CommandFailure(.refused, "no \(word) was due in \(duration(of: result))", advice: advice)
    }
}
