import FoundationEssentials
public import UserText

/// What `fleet load` sends to the process that loads a gateway: a JSON object a line.
public enum HTTPLoadOrder: Codable, Equatable, Sendable {
    /// Open connections to a gateway.
    case open(HTTPLoadOpening)
    /// Run a load over them.
    case run(LoadResult.Plan, objectives: [String])
    /// Send no further requests.
    case stop
    /// Wait for no further answers.
    case abandon
}

/// The gateway, the devices and the session of a load over HTTP.
public struct HTTPLoadOpening: Codable, Equatable, Sendable {
    /// The time within which all connections must be open.
    public static let timeout: Duration = .seconds(5)

    /// The URL of the gateway.
    public let url: GatewayURL
    /// A file with the certificates to trust, PEM; nil for those of the system.
    public let certificates: String?
    /// The token of the session.
    public let token: String
    /// The number of connections.
    public let connections: Int
    /// The devices with their present states.
    public let states: [HTTPLoad.PodState]

    /// An opening of those values.
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
    /// What has to be changed before another attempt.
    public enum Cause: String, CaseIterable, Codable, Sendable {
        /// The gateway cannot be reached.
        case unreachable
        /// The certificate of the gateway is not trusted.
        case untrusted
        /// The certificate of the gateway is not for the host of the URL.
        case otherHost
        /// The file with the certificates to trust cannot be used.
        case certificateFile
        /// The URL begins with `https`, and the program was built without TLS.
        case builtWithoutTLS
        /// The order cannot be read.
        case order
    }

    /// What has to be changed before another attempt.
    public let cause: Cause
    /// What failed and why, in words.
    public let reason: String

    /// A failure with a cause and a reason.
    public init(_ cause: Cause, _ reason: String) { (self.cause, self.reason) = (cause, reason) }
}

/// Orders and reports as lines.
public enum HTTPLoadLine {
    /// The longest line, bytes: the states of a million devices.
    public static let limit = 64 << 20

    /// Returns an order or a report as a line, with its end.
    public static func of(_ message: some Encodable) -> [UInt8] {
        message.encoded(.withoutEscapingSlashes) + [UInt8(ascii: "\n")]
    }

    /// Decodes a line.
    ///
    /// - Throws: ``PlanError`` for anything else, such as the line of another version.
    public static func decode<Message: Decodable>(
        _ type: Message.Type, from line: [UInt8]
    ) throws(PlanError) -> Message {
        do {
            return try JSONDecoder().decode(type, from: Data(line))
        } catch {
            throw PlanError("fleet and http-load are not of the same build")
        }
    }
}
