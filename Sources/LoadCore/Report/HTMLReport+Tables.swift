import UserText

extension HTMLReport {
    func objectiveResults(of step: LoadReport.Step) -> String {
        guard !step.objectiveResults.isEmpty else { return "" }
        let items = step.objectiveResults.map { objectiveResult in
            let word = objectiveResult.isMet ? "met" : "missed"
            return
                "<li><code>\(MarkupText.escaped(objectiveResult.slo))</code>: <b class=\"\(word)\">\(word)</b>, "
                + "\(MarkupText.escaped(step.valueText(of: objectiveResult)))</li>"
        }
        return "<h2>Objectives</h2>\n<ul>\n\(items.joined(separator: "\n"))\n</ul>"
    }

    func warnings(on result: LoadResult) -> String {
        var warnings: [String] = []
        let lost = result.lostTesters
        if !lost.isEmpty {
            warnings.append("Lost testers, whose requests are not counted: \(lost.joined(separator: ", ")).")
        } else if let condition = result.abortedBy {
            warnings.append("The load was aborted: \(condition).")
        } else if !result.isComplete {
            warnings.append("The load was interrupted.")
        }
        if result.plan.inFlight != nil {
            warnings.append("Closed loop: latencies are understated during stalls (coordinated omission).")
        }
        if result.isTesterLate {
            warnings.append(
                "The tester itself was late (p99 \(FigureText.time(us: result.testerLateUs.p99))): a part of "
                    + "the latency is the tester's\(result.testerUseText.map { "; \($0)" } ?? "").")
        }
        return warnings.map { "<p class=\"warning\">\(MarkupText.escaped($0))</p>" }.joined(separator: "\n")
    }

    func counts(of result: LoadResult) -> String {
        let rows = [
            ["offered", FigureText.rate(result.offeredPerSecond), FigureText.count(result.offered)],
            ["applied", FigureText.rate(result.throughputPerSecond), FigureText.count(result.applied)],
            [
                "failed", FigureText.rate(Double(result.failed) / max(result.durationSeconds, 1e-9)),
                FigureText.count(result.failed),
            ],
        ]
        let outcomes = result.outcomes.sorted { ($1.value, $0.key) < ($0.value, $1.key) }.map {
            [$0.key, FigureText.count($0.value)]
        }
        return HTMLTable.of(["toggles", "rate", "count"], rows) + "\n"
            + HTMLTable.of(["outcome", "count"], outcomes)
    }

    func times(of result: LoadResult) -> String {
        let rows =
            [("latency", result.latencyUs), ("service", result.serviceUs)]
            + result.hopParts.map { ("latency: \($0.name)", $0.figures) }
        return HTMLTable.of(
            ["", "mean", "p50", "p90", "p99", "p99.9", "max"],
            rows.map { name, figures in [name] + figures.texts })
    }

    func testers(of result: LoadResult) -> String {
        guard let testers = result.testers else { return "" }
        let rows = testers.map { tester in
            tester.row(lost: "lost") + [tester.environment.map { "\($0.processor), \($0.cores) cores" } ?? ""]
        }
        return "<h2>Testers</h2>\n"
            + HTMLTable.of(
                [
                    "tester", "offered", "applied", "failed", "p50", "p99", "late p99", "start within",
                    "processor",
                ], rows)
    }

    func kinds(of result: LoadResult) -> String {
        guard let kinds = result.kinds else { return "" }
        return "<h2>Kinds of requests</h2>\n"
            + HTMLTable.of(
                ["kind", "count", "p50", "p90", "p99", "p99.9", "max", "outcomes"], kinds.map(\.row))
    }

    func mix(of result: LoadResult) -> String {
        var rows: [[String]] = []
        if let cancels = result.cancels {
            let counts = [
                ("in time", cancels.inTime), ("too late", cancels.tooLate), ("pending", cancels.pending),
                ("refused", cancels.refused), ("without an answer", cancels.noAnswer),
            ]
            rows += counts.map { ["cancels \($0.0)", FigureText.count($0.1)] }
            rows.append(["cancels, p99", FigureText.time(us: cancels.latencyUs.p99)])
        }
        if let retries = result.retries {
            let counts = [
                ("with the same answer", retries.alike), ("with another outcome", retries.different),
                ("undecided", retries.undecided), ("without an answer", retries.noAnswer),
            ]
            rows += counts.map { ["repeats \($0.0)", FigureText.count($0.1)] }
        }
        return rows.isEmpty ? "" : "<h2>Cancels and repeats</h2>\n" + HTMLTable.of(["what", "count"], rows)
    }

    var comparisonSection: String {
        guard let comparison else { return "" }
        let differences = comparison.differences.map { "<li>\(MarkupText.escaped($0))</li>" }
        let text = differences.isEmpty ? "" : "\n<p>Settings differ:</p>\n<ul>\(differences.joined())</ul>"
        return "<h2>Compared</h2>\n<p>\(MarkupText.escaped(comparison.basis)).</p>\n"
            + HTMLTable.of(["", "before", "now", "change"], comparison.rows.map(\.texts)) + text
    }

    var environmentSection: String {
        let (environment, plan) = (report.environment, report.last.result.plan)
        let known = [
            ("command", environment.command), ("version of the tester", environment.testerVersion),
            ("version of the fleet", environment.fleetVersion), ("scenario", environment.scenario),
        ].compactMap { name, text in text.map { [name, $0] } }
        return "<h2>Environment and settings</h2>\n"
            + HTMLTable.of(
                ["what", ""],
                known + [
                    ["processor", "\(environment.processor), \(environment.cores) cores"],
                    ["kernel", environment.kernel], ["libzmq", environment.libzmq],
                    ["load average before", FigureText.decimal(environment.loadAverage, places: 2)],
                    ["warm-up", FigureText.time(us: plan.warmupSeconds * 1e6)],
                    ["duration", FigureText.time(us: plan.durationSeconds * 1e6)],
                    ["timeout", FigureText.time(us: plan.patienceSeconds * 1e6)],
                    ["cancelled, repeated", "\(plan.cancelRatio), \(plan.retryRatio)"],
                    ["mix", plan.mix ?? "toggles"],
                    ["seed", "\(plan.seed)"],
                ])
    }
}
