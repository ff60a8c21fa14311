/// What a request to the API hears.
public struct APIAnswer: Sendable, Equatable {
    /// What a body is.
    public enum ContentType: String, Sendable {
        case json = "application/json"
        case html = "text/html; charset=utf-8"
        case text = "text/plain; charset=utf-8"
    }

    /// The status.
    public let status: Int
    /// What the body is.
    public let contentType: ContentType
    /// When to try again, for the header `Retry-After`; nil where that is not said.
    public let retryAfter: Duration?
    /// What could have been done, for the header `Allow`; empty where that is not said.
    public let allowed: [APIRequest.Method]
    /// How many there are of what was asked for, for the header `X-Total-Count`; nil where that is not said.
    public let total: Int?
    /// The body.
    public let body: [UInt8]

    init(
        status: Int = 200, _ contentType: ContentType, retryAfter: Duration? = nil,
        allowed: [APIRequest.Method] = [], total: Int? = nil, body: [UInt8]
    ) {
        self.status = status
        self.contentType = contentType
        self.retryAfter = retryAfter
        self.allowed = allowed
        self.total = total
        self.body = body
    }

    /// A success with its result, in Sensibo's envelope.
    ///
    /// - Parameters:
    ///   - bytes: About how long it will be.
    ///   - more: What stands beside the result.
    static func success(
        about bytes: Int = 1_024, _ result: (inout JSONWriter) -> Void,
        more: (inout JSONWriter) -> Void = { _ in }
    ) -> APIAnswer {
        var json = JSONWriter(reserving: bytes)
        json.object { json in
            json.member("status", "success")
            json.key("result")
            result(&json)
            more(&json)
        }
        return APIAnswer(.json, body: json.bytes)
    }

    /// A success that has nothing more to say.
    public static let done = success { $0.null() }

    /// This answer as it is where its result was lost: a success without one; what is none stays as it is.
    ///
    /// As recorded in the issue 110241 of Home Assistant's core.
    public var withoutResult: APIAnswer {
        guard status == 200, contentType == .json else { return self }
        var json = JSONWriter()
        json.object { $0.member("status", "success") }
        return APIAnswer(.json, body: json.bytes)
    }
}
