import Stepping

/// How many HTTP requests there were, how they ended, and how long they took.
///
/// A route is the pattern that a path matched, so there are as many as the gateway has, whatever is asked for.
public struct RequestMetrics: Sendable {
    private struct Ending: Hashable, Comparable, Sendable {
        let method: String
        let route: String
        let status: Int

        static func < (left: Ending, right: Ending) -> Bool {
            (left.route, left.method, left.status) < (right.route, right.method, right.status)
        }
    }

    private var endings: [Ending: UInt64] = [:]
    private var durations: [String: DurationHistogram] = [:]

    /// Nobody has asked.
    public init() {}

    /// Counts a request that was answered.
    ///
    /// - Parameter route: The pattern that its path matched; nil where it matched none.
    public mutating func note(method: String, route: String?, status: Int, in duration: Duration) {
        let route = route ?? "none"
        // Anybody may send any word as a method.
        let method = Self.methods.contains(method) ? method : "other"
        endings[Ending(method: method, route: route, status: status), default: 0] += 1
        durations[route, default: DurationHistogram()].note(duration)
    }

    /// Tells all that was counted.
    public func write(to text: inout MetricsText) {
        text.family("sensibus_http_requests_total", .counter, "HTTP requests that were answered.")
        for (ending, count) in endings.sorted(by: { $0.key < $1.key }) {
            let labels = [
                ("method", ending.method), ("route", ending.route), ("status", String(ending.status)),
            ]
            text.value("sensibus_http_requests_total", labels, count)
        }
        text.family(
            "sensibus_http_request_duration_seconds", .histogram, "From a request's head to its answer's.")
        for (route, durations) in durations.sorted(by: { $0.key < $1.key }) {
            text.histogram("sensibus_http_request_duration_seconds", [("route", route)], durations)
        }
    }

    private static let methods: Set<String> = ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"]
}
