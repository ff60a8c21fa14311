import FoundationEssentials

/// What `fleet load` found out: one load, or a sweep of several.
public struct LoadReport: Equatable, Sendable {
    /// One load with what was said of it.
    public struct Step: Equatable, Sendable {
        /// What was measured.
        public let result: LoadResult
        /// Whether it is as good as was wanted.
        public let verdicts: [ObjectiveVerdict]

        /// A step of those parts.
        public init(result: LoadResult, verdicts: [ObjectiveVerdict]) {
            self.result = result
            self.verdicts = verdicts
        }
    }

    /// The server under load.
    public enum Target: String, Codable, Sendable {
        /// A fleet.
        case fleet
        /// An echo server in place of a fleet: the latencies are those of the tester itself.
        case echo
    }

    /// The loads, in the order in which they were; at least one.
    public let steps: [Step]
    /// Where they were measured.
    public let environment: LoadEnvironment
    /// The server under load.
    public let target: Target

    /// A report of those parts.
    ///
    /// - Precondition: There is at least one step.
    public init(steps: [Step], environment: LoadEnvironment, target: Target = .fleet) {
        precondition(!steps.isEmpty, "a report of nothing")
        self.steps = steps
        self.environment = environment
        self.target = target
    }

    /// The latencies of a self-test: the lowest that the tester can measure; nil for a load of a fleet.
    public var floorUs: LatencyFigures? { target == .echo ? last.result.latencyUs : nil }

    /// The last load.
    public var last: Step { steps[steps.count - 1] }

    /// Whether every objective was met in every load.
    public var isMet: Bool { steps.allSatisfy { $0.verdicts.allSatisfy(\.isMet) } }

    /// The report as JSON on one line, without its end.
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

    /// The report that some JSON tells.
    ///
    /// - Throws: `PlanError` when it is none.
    public init(json: String) throws(PlanError) {
        do {
            self = try JSONDecoder().decode(LoadReport.self, from: Data(json.utf8))
        } catch {
            throw PlanError("it is no report of `fleet load --json`")
        }
    }
}

extension LoadReport.Step: Codable {
    private enum CodingKeys: String, CodingKey {
        case slos
    }

    /// A result and its verdicts side by side.
    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            result: try LoadResult(from: decoder),
            verdicts: try members.decode([ObjectiveVerdict].self, forKey: .slos))
    }

    /// Writes the verdicts beside the keys of the result.
    public func encode(to encoder: any Encoder) throws {
        try result.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(verdicts, forKey: .slos)
    }
}

extension LoadReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case environment, floorUs, steps, target
    }

    /// One step, or those of a sweep.
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

    /// Writes the last step, and for a sweep all of them.
    public func encode(to encoder: any Encoder) throws {
        try last.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(environment, forKey: .environment)
        try members.encode(target, forKey: .target)
        try members.encodeIfPresent(floorUs, forKey: .floorUs)
        if steps.count > 1 { try members.encode(steps, forKey: .steps) }
    }
}
