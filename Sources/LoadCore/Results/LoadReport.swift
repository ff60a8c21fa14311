import FoundationEssentials
import UserText

/// The result of `fleet load`: one load, or a sweep of several.
public struct LoadReport: Equatable, Sendable {
    public struct Step: Equatable, Sendable {
        public let result: LoadResult
        public let objectiveResults: [ObjectiveResult]

        public init(result: LoadResult, objectiveResults: [ObjectiveResult]) {
            (self.result, self.objectiveResults) = (result, objectiveResults)
        }

        /// The value of an objective in words.
        public func valueText(of result: ObjectiveResult) -> String {
            result.valueUs.map { FigureText.time(us: $0) }
                ?? (self.result.offered == 0 ? "nothing was due" : "too many failed")
        }
    }

    public enum Target: String, Codable, Sendable {
        case fleet
        /// The gateway of a fleet, over HTTP.
        case http
        /// An echo server in place of a fleet: the latencies are those of the tester itself.
        case echo
    }

    /// The loads in the order of their execution; at least one.
    public let steps: [Step]
    /// The loads of another version, one for each of ``steps``, which alternated with them; may be empty.
    public let baseline: [Step]
    public let environment: LoadEnvironment
    public let target: Target

    /// A report with at least one step, and with as many of a baseline or none.
    public init(steps: [Step], baseline: [Step] = [], environment: LoadEnvironment, target: Target = .fleet) {
        precondition(!steps.isEmpty, "a report needs a step")
        precondition(baseline.isEmpty || baseline.count == steps.count, "each step alternates with one")
        (self.steps, self.baseline) = (steps, baseline)
        (self.environment, self.target) = (environment, target)
    }

    /// The latencies of a self-test: the lowest that the tester can measure; nil for a load of a fleet.
    public var floorUs: LatencyFigures? { target == .echo ? last.result.latencyUs : nil }
    public var last: Step { steps[steps.count - 1] }

    /// Whether the loads are runs of one load, rather than a sweep of different ones.
    public var isRepeated: Bool {
        steps.count > 1 && steps.allSatisfy { $0.result.plan.hasDemand(of: last.result.plan) }
    }

    /// Whether every objective was met in every load, no load was aborted, and no tester was lost.
    public var isMet: Bool {
        steps.allSatisfy {
            $0.objectiveResults.allSatisfy(\.isMet) && $0.result.lostTesters.isEmpty
                && $0.result.abortedBy == nil
        }
    }

    /// The report as JSON on one line, without a newline.
    ///
    /// The keys are those of ``LoadResult`` for the last load, `slos`, `environment` and `target`. A
    /// self-test has also `floorUs`; a sweep and repeated loads have `steps`, with the keys of
    /// ``LoadResult`` and `slos` for each load; loads that alternated with those of another version have its
    /// `baseline`.
    public var json: String {
        String(decoding: encoded([.sortedKeys, .withoutEscapingSlashes]), as: UTF8.self)
    }

    public init(json: String) throws(PlanError) {
        try self.init(decoding: Array(json.utf8), orFail: "not a report of `fleet load --json`")
    }
}

extension LoadReport.Step: Codable {
    private enum CodingKeys: String, CodingKey {
        case slos
    }

    public init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        self.init(
            result: try LoadResult(from: decoder),
            objectiveResults: try members.decode([ObjectiveResult].self, forKey: .slos))
    }

    public func encode(to encoder: any Encoder) throws {
        try result.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(objectiveResults, forKey: .slos)
    }
}

extension LoadReport: Codable {
    private enum CodingKeys: String, CodingKey {
        case baseline, environment, floorUs, steps, target
    }

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
        baseline = try members.decodeIfPresent([Step].self, forKey: .baseline) ?? []
        guard baseline.isEmpty || baseline.count == steps.count else {
            throw DecodingError.dataCorruptedError(
                forKey: .baseline, in: members, debugDescription: "a baseline of other loads")
        }
    }

    public func encode(to encoder: any Encoder) throws {
        try last.encode(to: encoder)
        var members = encoder.container(keyedBy: CodingKeys.self)
        try members.encode(environment, forKey: .environment)
        try members.encode(target, forKey: .target)
        try members.encodeIfPresent(floorUs, forKey: .floorUs)
        if steps.count > 1 { try members.encode(steps, forKey: .steps) }
        if !baseline.isEmpty { try members.encode(baseline, forKey: .baseline) }
    }
}

/// The machine that ran a load's tester: figures of different machines are not comparable.
public struct LoadEnvironment: Codable, Equatable, Sendable {
    public let processor: String
    public let cores: Int
    public let kernel: String
    public let libzmq: String
    public let loadAverage: Double
    /// The start of the load, ISO 8601.
    public let startedAt: String
    /// The command line; nil in reports of version 0.1, and for a tester of several.
    public var command: String?
    /// The version of the tester; nil in reports of version 0.1.
    public var testerVersion: String?
    /// The version of the fleet's controller; nil if it is not known.
    public var fleetVersion: String?
    /// The scenario of the devices: a name, or the path of a file; nil if it is not known.
    public var scenario: String?

    public init(
        processor: String, cores: Int, kernel: String, libzmq: String, loadAverage: Double, startedAt: String
    ) {
        (self.processor, self.cores, self.kernel) = (processor, cores, kernel)
        (self.libzmq, self.loadAverage, self.startedAt) = (libzmq, loadAverage, startedAt)
    }
}

extension Decodable {
    /// Decodes JSON; fails with a message if it is that of another type or version.
    init(decoding json: [UInt8], orFail message: String) throws(PlanError) {
        do {
            self = try JSONDecoder().decode(Self.self, from: Data(json))
        } catch {
            throw PlanError(message)
        }
    }
}

extension Encodable {
    /// The value as JSON; its type, of numbers and texts, always encodes.
    func encoded(_ formatting: JSONEncoder.OutputFormatting = []) -> [UInt8] {
        let encoder = JSONEncoder()
        encoder.outputFormatting = formatting
        do {
            return Array(try encoder.encode(self))
        } catch {
            preconditionFailure("\(Self.self) always encodes: \(error)")
        }
    }
}
