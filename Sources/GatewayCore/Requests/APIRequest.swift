/// A request to Sensibo's API, as far as anything depends on it; its type of content is nothing's business.
public struct APIRequest: Sendable {
    /// Bytes in a body at most: the largest of a known client has less than two thousand.
    public static let bodyBytes = 8 * 1_024

    /// What is done to a resource.
    public enum Method: String, CaseIterable, Sendable {
        case get = "GET"
        case head = "HEAD"
        case post = "POST"
        case put = "PUT"
        case patch = "PATCH"
        case delete = "DELETE"

        /// What it does to the resource: HEAD is GET without the body.
        public var effect: Method { self == .head ? .get : self }
    }

    /// What is done.
    public let method: Method
    /// The path, without the query.
    public let path: String
    /// What follows the question mark.
    public let query: FormFields
    /// Who asks.
    public let credentials: APICredentials
    /// The header of that name, as it came; nil where there is none.
    public let accept: String?
    /// The header `Idempotency-Key`, as it came; nil where there is none.
    public let idempotencyKey: String?
    /// The body, ``bodyBytes`` at most.
    public let body: [UInt8]

    /// The request of those parts.
    ///
    /// - Parameters:
    ///   - query: As it stands in the address, escapes and all.
    ///   - authorization: The header of that name.
    ///   - accept: The header of that name.
    ///   - idempotencyKey: The header of that name.
    public init(
        _ method: Method, path: String, query: String = "", authorization: String? = nil,
        accept: String? = nil, idempotencyKey: String? = nil, body: [UInt8] = []
    ) {
        let fields = FormFields(query)
        self.method = method
        self.path = path
        self.query = fields
        self.credentials = APICredentials(apiKey: fields["apiKey"], authorization: authorization)
        self.accept = accept
        self.idempotencyKey = idempotencyKey
        self.body = body
    }

    /// Whether errors are to be told in JSON; to others they are told in HTML.
    public var prefersJSON: Bool { Self.prefersJSON(accept) }

    /// Whether errors are sent as JSON to a client with this `Accept` header; otherwise as HTML.
    public static func prefersJSON(_ accept: String?) -> Bool {
        accept?.lowercased().contains("application/json") ?? false
    }
}
