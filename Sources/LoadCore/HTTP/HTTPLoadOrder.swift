import FoundationEssentials
public import UserText

/// What `fleet load` sends to the process that loads a gateway: a JSON object a line.
public enum HTTPLoadOrder: Codable, Equatable, Sendable {
    case open(HTTPLoadOpening)
    case run(LoadResult.Plan, objectives: [String])
    case stop
    case abandon
}

/// The gateway, the devices and the session of a load over HTTP.
public struct HTTPLoadOpening: Codable, Equatable, Sendable {
    /// The time within which all connections must be open.
    public static let timeout: Duration = .seconds(5)

    public let url: GatewayURL
    /// A file with the certificates to trust, PEM; nil for those of the system.
    public let certificates: String?
    public let token: String
    public let connections: Int
    public let states: [HTTPLoad.PodState]

    public init(
        url: GatewayURL, certificates: String?, token: String, connections: Int,
        states: [HTTPLoad.PodState]
    ) {
        (self.url, self.certificates, self.token) = (url, certificates, token)
        (self.connections, self.states) = (connections, states)
    }
}

/// What the process that loads a gateway reports: a JSON object a line.
public enum HTTPLoadReport: Codable, Sendable {
    case opened
    /// The progress of the load, each second.
    case progress(LoadProgress)
    case measured(LoadMeasurement)
    /// The connections cannot be opened, or an order cannot be carried out.
    case failed(HTTPLoadFailure)
}

/// Why the process that loads a gateway cannot carry out an order.
public struct HTTPLoadFailure: Codable, Equatable, Error, Sendable {
    public enum Cause: String, CaseIterable, Codable, Sendable {
        case unreachable
        case untrusted
        case otherHost
        case certificateFile
        /// The URL begins with `https`, and the program was built without TLS.
        case builtWithoutTLS
        case order
    }

    public let cause: Cause
    public let reason: String

    public init(_ cause: Cause, _ reason: String) { (self.cause, self.reason) = (cause, reason) }
}

public enum HTTPLoadLine {
    /// The longest line, bytes: the states of a million devices.
    public static let limit = 64 << 20

    public static func of(_ message: some Encodable) -> [UInt8] {
        message.encoded(.withoutEscapingSlashes) + [UInt8(ascii: "\n")]
    }

    /// Decodes a line; fails for that of another version.
    public static func decode<Message: Decodable>(
        _ type: Message.Type, from line: [UInt8]
    ) throws(PlanError) -> Message {
        try type.init(decoding: line, orFail: "fleet and http-load are not of the same build")
    }
}

/// The address to which metrics are pushed: `http://127.0.0.1:9091/metrics/job/load`.
public struct PushURL: Codable, Equatable, Sendable, CustomStringConvertible {
    public let server: GatewayURL
    /// The path, which begins with a slash.
    public let path: String

    /// Parses a URL of scheme http, with a host and a path.
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

    public var description: String { "\(server)\(path)" }
}

/// A text that `fleet load` sends to the process that pushes metrics: a JSON object a line.
public struct MetricsPushOrder: Codable, Equatable, Sendable {
    public let text: String

    public init(text: String) { self.text = text }
}

/// How the push of a text ended: a JSON object a line.
public struct MetricsPushReport: Codable, Equatable, Sendable {
    /// Why it failed, in words; nil if it did not.
    public let problem: String?

    /// A report with the reason of a failure, or nil.
    public init(problem: String?) { self.problem = problem }
}
