public import FleetProtocol
import Stepping

extension CloudFault {
    /// What goes wrong, and to whom, in words: `slow: answers come 10s late, 5 % of reads`.
    public var words: String {
        "\(kind.name): \(effect)\(whom)" + (times.map { ", \(Count.of(Int($0), "request")) at most" } ?? "")
    }

    private var effect: String {
        switch kind {
        case .slow: "answers come \(DurationText.text(delay)) late"
        case .hang: "no answer comes"
        case .error: "status \(status)"
        case .noResult: "answers without a result"
        case .failed: "changes fail"
        case .offline: "shown as dead, and changes fail"
        case .limit: "5 requests in 5s with one key, 10 in 10s with gzip"
        case .badPod: isKeyMissing ? "\(key.name) is missing" : "\(key.name) is null"
        case .noCode: "the remote lacks the code"
        case .lag: "shown as it was \(DurationText.text(delay)) before"
        }
    }

    private var whom: String {
        guard kind.hasPart else { return "" }
        let part = share < 1 ? "\(FigureText.decimal(share * 100, places: 1)) % of " : ""
        let pods =
            switch self.pods.count {
            case 0: ""
            case 1: SafeText.of(self.pods[0])
            case let count: Count.of(count, "pod")
            }
        if kind.isOfPods { return ", \(part)" + (pods.isEmpty ? "all pods" : pods) }
        let requests =
            switch self.requests {
            case .all: kind == .failed || kind == .noCode ? "changes" : "requests"
            case .reads: "reads"
            case .writes: "changes"
            }
        let subject = pods.isEmpty ? requests : "\(requests) about \(pods)"
        return ", " + (part.isEmpty ? "all " : part) + subject
    }

    /// For scripts: what its kind has; null where that is not said.
    public var jsonMembers: [JSONValue.Member] {
        [
            .init("fault", .string(kind.name)), .init("share", .number(share)),
            .init("requests", .string("\(requests)")), .init("pods", .array(pods.map { .string($0) })),
            .init("delayMs", kind.longestDelay.map { _ in .integer(delay.wholeMilliseconds) } ?? .null),
            .init("status", kind == .error ? .integer(Int64(status)) : .null),
            .init("key", kind == .badPod ? .string(key.name) : .null),
            .init("keyMissing", kind == .badPod ? .bool(isKeyMissing) : .null),
            .init("times", times.map { .integer(Int64($0)) } ?? .null),
        ]
    }
}
