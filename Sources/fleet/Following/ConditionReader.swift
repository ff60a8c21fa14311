import FleetProtocol
import FleetReplica
import UserText

/// Waits until a condition holds: `fleet wait`.
struct ConditionReader: FleetReader {
    let isJSON: Bool
    private var watch: ConditionWatch
    private let text: String

    /// A reader that ends when a condition holds.
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

/// A condition to wait for, with its text.
struct AwaitedCondition: Sendable {
    let condition: Condition
    let text: String
}
