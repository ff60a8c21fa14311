import DequeModule
public import FleetProtocol
public import UserText

/// A request that a test server has answered.
public struct RecordedRequest: Sendable, JSONWritable {
    /// The position among all requests since the start of the test, from 1.
    public let number: Int
    /// The time of the fleet's clock.
    let at: WallTime
    let method: String
    let path: String
    /// The parameters of the query, without the key of the API.
    let query: [String: String]
    private let recordedBody: [UInt8]
    let status: Int
    /// The faults that affected it.
    let faults: [CloudFault.Kind]

    /// The key of the API is a secret, also in a test's output.
    private static let secrets: Set<String> = ["apiKey"]

    public init(
        number: Int, at time: WallTime, method: String, path: String, query: FormFields, body: [UInt8],
        status: Int, faults: [CloudFault.Kind]
    ) {
        (self.number, at, self.method, self.path) = (number, time, method, path)
        self.query = query.values.filter { !Self.secrets.contains($0.key) }
        (recordedBody, self.status, self.faults) = (body, status, faults)
    }

    /// The body, which is parsed when a test asks: as parsed, numbers take many times their bytes.
    var body: JSONTree { JSONTree(recorded: recordedBody) }

    /// The bytes that it has in memory, about.
    fileprivate var bytes: Int {
        path.utf8.count + recordedBody.count
            + query.reduce(0) { $0 + $1.key.utf8.count + $1.value.utf8.count }
    }

    public func write(to json: inout JSONWriter) {
        let members: JSONObject = [
            "number": number, "time": TimeText.iso8601(at), "method": method, "path": path,
            "query": JSONObject(query.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }), "body": body,
            "status": status, "faults": faults.map { InjectedKind.cloud($0).name },
        ]
        members.write(to: &json)
    }
}

/// The requests that a test looks for; members that are nil match all.
public struct RequestPattern: Sendable {
    private let method: String?
    private let path: PathPattern?
    private let query: [JSONTree.Member]
    /// A body with at least these members.
    private let body: JSONTree?
    private let status: Int?

    /// Decodes `{"method":"PATCH","path":"/api/v2/pods/*/acStates/on","body":{"newValue":true}}`.
    public init(_ body: [UInt8]) throws(APIError) {
        let form = try ControlForm(body, ["body", "method", "path", "query", "status"])
        method = try form.text("method")?.uppercased()
        path = try form.text("path").map { PathPattern($0) }
        switch form["query"] {
        case nil: query = []
        case .object(let members): query = members.sorted { $0.key < $1.key }
        default: throw .badRequest("query must be an object with the parameters")
        }
        self.body = form.value("body")
        status = try form.number("status", in: 100...599).map { Int($0) }
    }

    /// What a request lacks to match; empty for a request that does.
    func differences(from request: RecordedRequest) -> [String] {
        var differences: [String] = []
        if let method, method != request.method { differences.append("method \(request.method)") }
        if let path, !path.matches(request.path) {
            differences.append("path \(request.path)")
        }
        for wanted in query where wanted.value.queryText != request.query[wanted.key] {
            differences.append("\(wanted.key)=\(request.query[wanted.key] ?? "") in the query")
        }
        if let body, !body.isShown(by: request.body) {
            differences.append("body \(JSONObject([("", request.body)]).line.dropFirst(4).dropLast())")
        }
        if let status, status != request.status { differences.append("status \(request.status)") }
        return differences
    }

    /// The number of parts of the path that a request has in common with the pattern.
    func likeness(of request: RecordedRequest) -> Int {
        path?.likeness(of: request.path) ?? 0
    }
}

/// The newest requests of a test, in their order.
public struct RecordedRequests: Sendable {
    /// The requests that are stored; older ones are dropped.
    public static let atMost = 10_000
    /// The bytes of all stored requests; older ones are dropped beyond it.
    static let bytesAtMost = 64 << 20

    private var requests: Deque<RecordedRequest> = []
    private var bytes = 0
    private var count = 0

    public init() {}

    /// Adds a request, which gets the next number.
    public mutating func add(_ make: (_ number: Int) -> RecordedRequest) {
        count += 1
        let request = make(count)
        requests.append(request)
        bytes += request.bytes
        while requests.count > Self.atMost || bytes > Self.bytesAtMost {
            bytes -= requests.removeFirst().bytes
        }
    }

    /// The requests that match a pattern; without any, the one that comes nearest and what it lacks.
    public func json(matching pattern: RequestPattern) -> JSONObject {
        let found = requests.filter { pattern.differences(from: $0).isEmpty }
        var json: JSONObject = ["count": found.count, "total": count, "requests": Array(found)]
        guard found.isEmpty else { return json }
        // Of several that are equally near, the newest.
        let nearest = requests.min { left, right in
            let (first, second) = (pattern.differences(from: left), pattern.differences(from: right))
            guard first.count == second.count else { return first.count < second.count }
            let (likeness, other) = (pattern.likeness(of: left), pattern.likeness(of: right))
            return likeness == other ? left.number > right.number : likeness > other
        }
        guard let nearest else { return json }
        json += ["nearest": nearest, "differences": pattern.differences(from: nearest)]
        return json
    }
}

extension JSONTree {
    /// A recorded body: null if there is none, and a string if it is not JSON.
    fileprivate init(recorded body: [UInt8]) {
        let text = String(decoding: body, as: UTF8.self)
        self = body.isEmpty ? .null : (try? JSONTree(parsing: body)) ?? .string(text)
    }

    /// The value as a query has it; nil for null, which stands for a missing parameter.
    fileprivate var queryText: String? {
        switch self {
        case .null, .array, .object: nil
        case .bool, .number: shown
        case .string(let text): text
        }
    }

    /// Whether a value has at least what this one has: the same scalar or list, or an object with these
    /// members and perhaps others.
    fileprivate func isShown(by value: JSONTree?) -> Bool {
        switch (self, value ?? .null) {
        case (.number(let digits), .number(let others)):
            digits == others || number != nil && number == value?.number
        case (.array(let wanted), .array(let values)):
            wanted.count == values.count && zip(wanted, values).allSatisfy { $0.isShown(by: $1) }
        case (.object(let wanted), .object(_)):
            // A command has the last of several members with the same key.
            wanted.allSatisfy { $0.value.isShown(by: value?.membersByKey?[$0.key]) }
        case (let wanted, let value): wanted == value
        }
    }
}
