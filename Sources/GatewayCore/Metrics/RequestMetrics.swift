import Stepping

/// How many HTTP requests there were, how they ended, and how long they took.
///
/// A route is the pattern that a path matched, so there are as many as the gateway has, whatever is asked
/// for; and so it is with methods.
public struct RequestMetrics: Sendable {
    /// What was asked.
    private struct Question: Hashable, Comparable, Sendable {
        let method: String
        let route: String

        var labels: [(String, String)] { [("method", method), ("route", route)] }

        static func < (left: Question, right: Question) -> Bool {
            (left.route, left.method) < (right.route, right.method)
        }
    }

    private struct Ending: Hashable, Comparable, Sendable {
        let question: Question
        let status: Int

        static func < (left: Ending, right: Ending) -> Bool {
            (left.question, left.status) < (right.question, right.status)
        }
    }

    private var endings: [Ending: UInt64] = [:]
    private var durations: [Question: DurationHistogram] = [:]

    /// Nobody has asked.
    public init() {}

    /// Counts a request that was answered.
    ///
    /// - Parameter route: The pattern that its path matched; nil where it matched none.
    public mutating func note(method: String, route: String?, status: Int, in duration: Duration) {
        // Anybody may send any word as a method.
        let question = Question(
            method: Self.methods.contains(method) ? method : "other", route: route ?? "none")
        endings[Ending(question: question, status: status), default: 0] += 1
        durations[question, default: DurationHistogram()].note(duration)
    }

    /// Tells all that was counted.
    public func write(to text: inout MetricsText) {
        text.family("sensibus_http_requests_total", .counter, "HTTP requests that were answered.")
        for (ending, count) in endings.sorted(by: { $0.key < $1.key }) {
            let labels = ending.question.labels + [("status", String(ending.status))]
            text.value("sensibus_http_requests_total", labels, count)
        }
        text.family(
            "sensibus_http_request_duration_seconds", .histogram, "From a request's head to its answer's.")
        for (question, durations) in durations.sorted(by: { $0.key < $1.key }) {
            text.histogram("sensibus_http_request_duration_seconds", question.labels, durations)
        }
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
}
