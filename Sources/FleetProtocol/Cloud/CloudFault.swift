/// A fault of the simulated Sensibo API, as opposed to a fault of a device.
///
/// Which values apply depends on the kind; the others keep their defaults.
public struct CloudFault: Hashable, Sendable {
    /// The statuses that an error can have.
    public static let statuses = [401, 403, 429, 500, 502, 503, 504]

    /// The kind.
    public var kind: Kind
    /// The requests that it affects.
    public var requests = Requests.all
    /// The fraction of the requests, or of the pods, that it affects: above 0, up to 1.
    public var share = 1.0
    /// The IDs or names of the affected pods, up to ``Limits/faultDevices``; empty for all pods.
    public var pods: [String] = []
    /// The delay of answers, or the age of what pods show.
    public var delay = Duration.zero
    /// The status of an error, one of ``statuses``.
    public var status = 500
    /// The number of requests after which it ends; nil for no limit.
    public var times: UInt32?
    /// The affected key.
    public var key = PodKey.acState
    /// Whether the key is missing; otherwise it is null.
    public var isKeyMissing = false
    /// The paths of the affected requests, in which `*` stands for one part; empty for all paths.
    public var path = ""

    /// The longest path, in bytes.
    public static let pathBytes = 200

    /// Returns whether a text can be the path of a fault.
    public static func allows(path: String) -> Bool {
        path.hasPrefix("/") && path.utf8.count <= pathBytes && !path.contains("?")
    }

    /// A fault of a kind with default values.
    public init(_ kind: Kind) {
        self.kind = kind
        delay = kind.usualDelay ?? .zero
    }
}

extension CloudFault.Kind {
    /// The name of the kind.
    public var name: String {
        switch self {
        case .noResult: "no-result"
        case .badPod: "bad-pod"
        case .noCode: "no-code"
        case .slow, .hang, .error, .failed, .offline, .limit, .lag, .reset, .truncated, .html: "\(self)"
        }
    }

    /// The default delay or age: longer than pysensibo's timeout (8 s); nil if the kind has none.
    public var usualDelay: Duration? {
        switch self {
        case .slow, .lag: .seconds(10)
        case .hang, .error, .noResult, .failed, .offline, .limit, .badPod, .noCode, .reset, .truncated, .html:
            nil
        }
    }

    /// The longest delay or age; nil if the kind has none.
    public var longestDelay: Duration? {
        switch self {
        case .slow: Limits.longestDelay
        case .lag: Limits.longestLag
        case .hang, .error, .noResult, .failed, .offline, .limit, .badPod, .noCode, .reset, .truncated, .html:
            nil
        }
    }

    /// Whether the fault changes how pods are shown, for a time; otherwise it affects requests one by one.
    public var isOfPods: Bool {
        switch self {
        case .offline, .badPod, .lag: true
        case .slow, .hang, .error, .noResult, .failed, .limit, .noCode, .reset, .truncated, .html: false
        }
    }

    /// Whether it can affect a fraction or some pods; the rate limit cannot, because it applies to each key.
    public var hasPart: Bool { self != .limit }

    /// Whether it can affect only reads or only writes.
    public var hasRequests: Bool {
        switch self {
        case .slow, .hang, .error, .noResult, .reset, .truncated, .html: true
        case .failed, .offline, .limit, .badPod, .lag, .noCode: false
        }
    }

    /// Whether it can end after a number of requests, and affect only those of some paths.
    public var hasTimes: Bool { !isOfPods && self != .limit }
}

extension CloudFault.PodKey {
    /// The key in the object.
    public var name: String { "\(self)" }
}
