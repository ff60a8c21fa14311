import FoundationEssentials
import UserText

/// The result of `fleet load`: one load, or a sweep of several.
public struct LoadReport: Equatable, Sendable {
    /// One load with its verdicts.
    public struct Step: Equatable, Sendable {
        /// The measured figures.
        public let result: LoadResult
        /// The verdicts on the objectives, in their order.
        public let objectiveResults: [ObjectiveResult]

        /// A step of those values.
        public init(result: LoadResult, objectiveResults: [ObjectiveResult]) {
            (self.result, self.objectiveResults) = (result, objectiveResults)
        }
    }

    /// The server under load.
    public enum Target: String, Codable, Sendable {
        /// A fleet.
        case fleet
        /// An echo server in place of a fleet: the latencies are those of the tester itself.
        case echo
    }

    /// The loads in the order of their execution; at least one.
    public let steps: [Step]
    /// The machine that ran the tester.
    public let environment: LoadEnvironment
    /// The server under load.
    public let target: Target

    /// A report of those values.
    ///
    /// - Precondition: There is at least one step.
    public init(steps: [Step], environment: LoadEnvironment, target: Target = .fleet) {
        precondition(!steps.isEmpty, "a report needs a step")
        (self.steps, self.environment, self.target) = (steps, environment, target)
    }

    /// The latencies of a self-test: the lowest that the tester can measure; nil for a load of a fleet.
    public var floorUs: LatencyFigures? { target == .echo ? last.result.latencyUs : nil }

    /// The last load.
    public var last: Step { steps[steps.count - 1] }

    /// Whether every objective was met in every load, and no tester was lost.
    public var isMet: Bool {
        steps.allSatisfy { $0.objectiveResults.allSatisfy(\.isMet) && $0.result.lostTesters.isEmpty }
    }

    /// The report as JSON on one line, without a newline.
    ///
    /// The keys are those of ``LoadResult`` for the last load, `slos`, `environment` and `target`. A
    /// self-test has also `floorUs`; a sweep has `steps`, with the keys of ``LoadResult`` and `slos` for each
    /// load.
    public var json: String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        do {
            return String(decoding: try encoder.encode(self), as: UTF8.self)
        } catch {
            preconditionFailure("numbers and texts always encode: \(error)")
        }
    }

    /// Decodes a report from JSON.
    ///
    /// - Throws: ``PlanError`` if the text is not a report.
    public init(json: String) throws(PlanError) {
        do {
            self = try JSONDecoder().decode(LoadReport.self, from: Data(json.utf8))
        } catch {
            throw PlanError("not a report of `fleet load --json`")
        }
    }
}

extension LoadReport.Step: Codable {
    private enum CodingKeys: String, CodingKey {
        case slos
    }

    /// Decodes a result and its verdicts from one object.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            result: try LoadResult(from: decoder),
            objectiveResults: try members.decode([ObjectiveResult].self, forKey: .slos))
    }

    /// Encodes the verdicts beside the keys of the result.
    public func encode(to encoder: any Encoder) throws {
        try result.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(objectiveResults, forKey: .slos)
    }
}

extension LoadReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case environment, floorUs, steps, target
    }

    /// Decodes the steps of a sweep, or a single step.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        environment = try members.decode(LoadEnvironment.self, forKey: .environment)
        target = try members.decodeIfPresent(Target.self, forKey: .target) ?? .fleet
        let steps = try members.decodeIfPresent([Step].self, forKey: .steps) ?? [Step(from: decoder)]
        guard !steps.isEmpty else {
            throw DecodingError.dataCorruptedError(
                forKey: .steps, in: members, debugDescription: "a sweep of no steps")
        }
        self.steps = steps
    }

    /// Encodes the last step, and for a sweep all steps.
    public func encode(to encoder: any Encoder) throws {
        try last.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(environment, forKey: .environment)
        try members.encode(target, forKey: .target)
        try members.encodeIfPresent(floorUs, forKey: .floorUs)
        if steps.count > 1 { try members.encode(steps, forKey: .steps) }
    }
}

/// A load compared with an earlier one.
public struct LoadComparison: Equatable, Sendable {
    /// One figure of both loads.
    public struct Row: Equatable, Sendable {
        /// The name of the figure.
        public let name: String
        /// The value in the earlier load.
        public let before: Double
        /// The value in this load.
        public let now: Double
        /// Whether the figure is a time in microseconds; otherwise it is a rate per second.
        public let isTime: Bool

        /// The relative growth; nil if the earlier value is 0.
        public var growth: Double? { before == 0 ? nil : now / before - 1 }
    }

    /// The earlier load.
    public let before: LoadResult
    /// The figures that both loads have.
    public let rows: [Row]
    /// The differences of target, plan and environment that may explain a difference of the figures.
    public let differences: [String]

    /// Compares the last load of a report with the last one of an earlier report that had the same demand;
    /// without such a load, with the last one.
    public init(of report: LoadReport, with earlier: LoadReport) {
        let now = report.last.result
        let alike = earlier.steps.last { step in
            step.result.plan.ratePerSecond == now.plan.ratePerSecond
                && step.result.plan.inFlight == now.plan.inFlight
        }
        let before = (alike ?? earlier.last).result
        self.before = before
        let times: [(String, KeyPath<LoadResult, Double?>)] = [
            ("p50", \.latencyUs.p50), ("p90", \.latencyUs.p90), ("p99", \.latencyUs.p99),
            ("p99.9", \.latencyUs.p999), ("max", \.latencyUs.max), ("service p99", \.serviceUs.p99),
        ]
        rows =
            [
                Row(
                    name: "throughput", before: before.throughputPerSecond, now: now.throughputPerSecond,
                    isTime: false)
            ]
            + times.compactMap { name, path in
                guard let then = before[keyPath: path], let this = now[keyPath: path] else { return nil }
                return Row(name: name, before: then, now: this, isTime: true)
            }
        differences =
            Self.differing([("target", earlier.target.rawValue, report.target.rawValue)])
            + Self.differences(before.plan, now.plan)
            + Self.differences(earlier.environment, report.environment)
    }

    private static func differences(_ before: LoadResult.Plan, _ now: LoadResult.Plan) -> [String] {
        let facts: [(String, String, String)] = [
            (
                "rate", text(before.ratePerSecond.map(FigureText.rate)),
                text(now.ratePerSecond.map(FigureText.rate))
            ),
            ("in flight", text(before.inFlight), text(now.inFlight)),
            ("arrivals", text(before.arrivals?.rawValue), text(now.arrivals?.rawValue)),
            ("connections", "\(before.connections)", "\(now.connections)"),
            ("devices", "\(before.devices)", "\(now.devices)"),
            ("cancels", "\(before.cancelRatio)", "\(now.cancelRatio)"),
            ("repeats", "\(before.retryRatio)", "\(now.retryRatio)"),
        ]
        return differing(facts)
    }

    private static func differences(_ before: LoadEnvironment, _ now: LoadEnvironment) -> [String] {
        let facts: [(String, String, String)] = [
            ("processor", before.processor, now.processor), ("cores", "\(before.cores)", "\(now.cores)"),
            ("kernel", before.kernel, now.kernel), ("libzmq", before.libzmq, now.libzmq),
        ]
        return differing(facts)
    }

    private static func differing(_ facts: [(name: String, before: String, now: String)]) -> [String] {
        facts.filter { $0.before != $0.now }.map { "\($0.name) \($0.now), was \($0.before)" }
    }

    private static func text(_ value: (some Any)?) -> String { value.map { "\($0)" } ?? "none" }
}

/// The machine that ran a load's tester: figures of different machines are not comparable.
public struct LoadEnvironment: Codable, Equatable, Sendable {
    /// The processor's name.
    public let processor: String
    /// The number of processors.
    public let cores: Int
    /// The operating system's kernel.
    public let kernel: String
    /// The version of libzmq.
    public let libzmq: String
    /// The load average of the minute before the load.
    public let loadAverage: Double
    /// The start of the load, ISO 8601.
    public let startedAt: String

    /// An environment of those values.
    public init(
        processor: String, cores: Int, kernel: String, libzmq: String, loadAverage: Double, startedAt: String
    ) {
        (self.processor, self.cores, self.kernel) = (processor, cores, kernel)
        (self.libzmq, self.loadAverage, self.startedAt) = (libzmq, loadAverage, startedAt)
    }
}
