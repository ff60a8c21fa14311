public import FleetProtocol

/// The properties of a request to Sensibo's API that cloud faults depend on.
public struct CloudRequest: Hashable, Sendable {
    public let isWrite: Bool
    let changesState: Bool
    let path: String
    /// The ID and the name of its pod; empty for no pod or all pods.
    let pod: [String]

    public init(isWrite: Bool, path: String) {
        (self.isWrite, self.path) = (isWrite, path)
        changesState = false
        pod = []
    }

    public init(isWrite: Bool, path: String, _ part: APIRoute.PodPart, of pod: Pod) {
        (self.isWrite, self.path) = (isWrite, path)
        changesState = isWrite && part.isState
        self.pod = [pod.device.description, pod.name]
    }
}

public struct CloudTreatment: Hashable, Sendable {
    /// What happens to an answer on its way.
    public enum Damage: Hashable, Sendable {
        /// The connection is reset before it.
        case reset
        /// Its body is cut short.
        case truncated
        /// A page of HTML replaces it.
        case html
    }

    public struct Lateness: Hashable, Sendable {
        /// The fault; the delay ends with it at the latest.
        public let fault: UInt64
        public let delay: Duration
    }

    /// The fault during which the request is neither executed nor answered; nil for none.
    public internal(set) var hang: UInt64?
    /// The status of an immediate answer to a request that is not executed; nil for none.
    public internal(set) var error: Int?
    /// Whether a change is not executed and its answer reports a failure.
    public internal(set) var fails = false
    /// Whether a change of state is not executed and its answer reports that the remote has no code for it.
    public internal(set) var lacksCode = false
    public internal(set) var isLimited = false
    /// Whether the answer reports a success without the result.
    public internal(set) var losesResult = false
    /// What happens to the answer on its way; nil if it arrives.
    public internal(set) var damage: Damage?
    public internal(set) var lateness: Lateness?

    /// The kinds of the faults that have these effects, and of those that others prevail over.
    public internal(set) var kinds: [CloudFault.Kind] = []

    public static let none = CloudTreatment()
}

extension CloudFault {
    func concerns(_ request: CloudRequest) -> Bool {
        let isMeant =
            switch requests {
            case .all: isAbout(request)
            case .reads: !request.isWrite
            case .writes: request.isWrite
            }
        return isMeant && (path.isEmpty || PathPattern(path).matches(request.path))
            && (pods.isEmpty || request.pod.contains { pods.contains($0) })
    }

    private func isAbout(_ request: CloudRequest) -> Bool {
        switch kind {
        case .failed: request.isWrite
        case .noCode: request.changesState
        case .slow, .hang, .error, .noResult, .offline, .limit, .badPod, .lag, .reset, .truncated, .html: true
        }
    }
}

extension APIRoute.PodPart {
    fileprivate var isState: Bool {
        switch self {
        case .acStates, .acState: true
        case .whole, .smartMode, .timer, .schedules, .schedule, .calibration, .pureBoost, .filterNotification,
            .history, .measurements, .events:
            false
        }
    }
}
