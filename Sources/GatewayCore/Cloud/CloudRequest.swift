public import FleetProtocol

/// The properties of a request to Sensibo's API that cloud faults depend on.
public struct CloudRequest: Hashable, Sendable {
    /// Whether it is a request for a change.
    public let isWrite: Bool
    /// Whether it is a request for a change of a pod's AC state.
    let changesState: Bool
    /// The ID and the name of its pod; empty for no pod or all pods.
    let pod: [String]

    /// A request for no pod, or for all.
    public init(isWrite: Bool) {
        self.isWrite = isWrite
        changesState = false
        pod = []
    }

    /// A request for a resource of a pod.
    public init(isWrite: Bool, _ part: APIRoute.PodPart, of pod: Pod) {
        self.isWrite = isWrite
        changesState = isWrite && part.isState
        self.pod = [pod.device.description, pod.name]
    }
}

/// The effect of cloud faults on a request.
public struct CloudTreatment: Hashable, Sendable {
    /// The delay of an answer.
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
    /// Whether the rate limit of the key applies.
    public internal(set) var isLimited = false
    /// Whether the answer reports a success without the result.
    public internal(set) var losesResult = false
    /// The delay of the answer; nil for none.
    public internal(set) var lateness: Lateness?

    /// The kinds of the faults that have these effects, and of those that others prevail over.
    public internal(set) var kinds: [CloudFault.Kind] = []

    /// The effect of no fault.
    public static let none = CloudTreatment()

    init() {}
}

extension CloudFault {
    /// Whether the fault can affect a request, apart from its probability.
    func concerns(_ request: CloudRequest) -> Bool {
        let isMeant =
            switch requests {
            case .all: isAbout(request)
            case .reads: !request.isWrite
            case .writes: request.isWrite
            }
        return isMeant && (pods.isEmpty || request.pod.contains { pods.contains($0) })
    }

    /// Whether the kind of fault applies to a request.
    private func isAbout(_ request: CloudRequest) -> Bool {
        switch kind {
        case .failed: request.isWrite
        case .noCode: request.changesState
        case .slow, .hang, .error, .noResult, .offline, .limit, .badPod, .lag: true
        }
    }
}

extension APIRoute.PodPart {
    /// Whether the part is the AC state or a key of it.
    fileprivate var isState: Bool {
        switch self {
        case .acStates, .acState: true
        case .whole, .smartMode, .timer, .schedules, .schedule, .calibration, .pureBoost, .filterNotification,
            .history, .measurements, .events:
            false
        }
    }
}
