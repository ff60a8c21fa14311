import ArgumentParser
import FleetProtocol
import FleetReplica
import UserText

struct WaitCommand: FleetCommand {
    static let configuration = CommandConfiguration(
        commandName: "wait", abstract: "Wait until a condition holds, at once if it holds already.",
        discussion: """
            The conditions are those of `observer --until` and `fleet devices --filter`. It holds as soon as one \
            device satisfies all of it; a condition on named devices, such as 'device A on and device B on', \
            waits for all of these.

            Exits with 0 when the condition holds, with 75 when it has not held within --timeout, and with 69 \
            if no controller was there to ask.

            EXAMPLES
              fleet wait 'node node-1 and online'
              fleet wait 'device DQUpF6Xf online and device VMe9BNPT online' --timeout 2m
              fleet wait 'temperature > 15 and not offline' --json
            """)

    private static let longestTimeout: Duration = .seconds(86_400)
    private static let defaultTimeout: Duration = .seconds(30)

    @Argument(
        help: "A condition, such as 'device \"Bedroom 7\" on' or 'temperature > 26'.",
        transform: { AwaitedCondition(condition: try Condition.argument($0), text: $0) })
    var condition: AwaitedCondition

    @Option(
        help: .value(
            "duration",
            "How long to wait: above 0s, at most \(DurationText.text(Self.longestTimeout)) "
                + "(default: \(DurationText.text(Self.defaultTimeout)))."),
        transform: { try .parse($0, upTo: Self.longestTimeout, "a timeout is") })
    var timeout: Duration = Self.defaultTimeout

    @OptionGroup var client: ClientOptions

    func run(in surroundings: Surroundings) async throws -> ExitStatus {
        let access = try client.access(in: surroundings)
        let reader = ConditionReader(condition, isJSON: client.json.isWanted)
        let text = SafeText.of(condition.text)
        switch try await access.follow(reader, timeout: timeout) {
        case .finished: return .done
        case .interrupted:
            surroundings.notify("fleet: interrupted; the condition has not held: \(text)")
            return .undecided
        case .timedOut(isWhole: true):
            throw CommandFailure(
                .undecided, "condition not met within \(DurationText.text(timeout)): \(text)",
                advice: "see `fleet devices`, or wait longer with --timeout")
        case .timedOut(isWhole: false):
            throw CommandFailure(
                .absent, "the state of the devices was not known within \(DurationText.text(timeout))",
                advice: "see `fleet status`")
        }
    }
}

struct ConditionReader: FleetReader {
    let isJSON: Bool
    private var watch: ConditionWatch
    private let text: String

    init(_ condition: AwaitedCondition, isJSON: Bool) {
        (watch, text) = (ConditionWatch(for: condition.condition), condition.text)
        self.isJSON = isJSON
    }

    mutating func read(_ event: FleetEvent, of replica: Replica, into results: inout [FleetReading]) {
        if let match = watch.handle(ObserverEvent(event), of: replica) { end(with: match, into: &results) }
    }

    mutating func tick(_ replica: Replica, into results: inout [FleetReading]) {
        if let match = watch.tick(replica) { end(with: match, into: &results) }
    }

    private func end(with match: ConditionWatch.Match, into results: inout [FleetReading]) {
        let device: FleetEvent.Device? = if case .device(let device) = match { device } else { nil }
        let json: JSONObject = ["condition": text, "device": device?.id.description, "name": device?.name]
        let whose = device.map { "\($0.label): " } ?? ""
        results += [.line(isJSON ? json.line : "\(whose)condition met: \(SafeText.of(text))"), .end(nil)]
    }
}

struct AwaitedCondition: Sendable {
    let condition: Condition
    let text: String
}
