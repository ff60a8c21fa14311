public import UserText

/// The address to which metrics are pushed: `http://127.0.0.1:9091/metrics/job/load`.
public struct PushURL: Codable, Equatable, Sendable, CustomStringConvertible {
    /// The host and the port.
    public let server: GatewayURL
    /// The path, which begins with a slash.
    public let path: String

    /// Parses a URL.
    ///
    /// - Throws: ``PlanError`` if it has another scheme than http, no host, a wrong port, or no path.
    public init(_ text: String) throws(PlanError) {
        let problem = PlanError("'\(text)' is not an address such as http://127.0.0.1:9091/metrics/job/load")
        guard !text.hasPrefix("https://") else {
            throw PlanError("metrics are pushed over http only: use a proxy, or --metrics-file")
        }
        let scheme = "http://"
        guard text.hasPrefix(scheme), let slash = text.dropFirst(scheme.count).firstIndex(of: "/") else {
            throw problem
        }
        path = String(text[slash...])
        // Other characters need an escape in a URL.
        let isPath = path.utf8.allSatisfy { (0x21...0x7e).contains($0) && $0 != UInt8(ascii: "#") }
        guard path.utf8.count > 1, isPath else { throw problem }
        guard let server = GatewayURL(String(text[..<slash])) else { throw problem }
        self.server = server
    }

    /// The URL.
    public var description: String { "\(server)\(path)" }
}

/// A text that `fleet load` sends to the process that pushes metrics: a JSON object a line.
public struct MetricsPushOrder: Codable, Equatable, Sendable {
    /// The metrics.
    public let text: String

    /// An order to push a text.
    public init(text: String) { self.text = text }
}

/// How the push of a text ended: a JSON object a line.
public struct MetricsPushReport: Codable, Equatable, Sendable {
    /// Why it failed, in words; nil if it did not.
    public let problem: String?

    /// A report with the reason of a failure, or nil.
    public init(problem: String?) { self.problem = problem }
}
