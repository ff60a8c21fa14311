import FleetProtocol

/// A request to Sensibo's API, as far as faults of the cloud go by it.
public struct CloudRequest: Hashable, Sendable {
    /// Whether it changes something, or would.
    public let isWrite: Bool
    /// Whether it changes the state of a pod's air conditioner, or would.
    let changesState: Bool
    /// The id and the name of the pod that it is about; empty where it is about none, or all.
    let pod: [String]

    /// A request about no pod, or about all.
    public init(isWrite: Bool) {
        self.isWrite = isWrite
        changesState = false
        pod = []
    }

    /// A request about a part of a pod.
    public init(isWrite: Bool, _ part: APIRoute.PodPart, of pod: Pod) {
        self.isWrite = isWrite
        changesState = isWrite && part.isState
        self.pod = [pod.device.description, pod.name]
    }
}

/// What becomes of a request that meets faults of the cloud.
public struct CloudTreatment: Hashable, Sendable {
    /// How late an answer is.
    public struct Lateness: Hashable, Sendable {
        /// The fault: where that ends before, so does the wait.
        public let fault: UInt64
        /// By so long.
        public let delay: Duration
    }

    /// The fault for whose time it is neither carried out nor answered; nil where it is.
    public internal(set) var hang: UInt64?
    /// The status that it is answered with at once, not carried out; nil where it is.
    public internal(set) var error: Int?
    /// It is not carried out if it is a change, and the answer says that it failed.
    public internal(set) var fails = false
    /// It is not carried out if it changes a state, and the answer says that the remote has no code for that.
    public internal(set) var lacksCode = false
    /// It counts among those that each key may send.
    public internal(set) var isLimited = false
    /// The answer says that it was a success, and nothing else.
    public internal(set) var losesResult = false
    /// How late the answer is; nil where it is not.
    public internal(set) var lateness: Lateness?

    /// What becomes of one that meets none.
    public static let none = CloudTreatment()

    init() {}
}

extension CloudFault {
    /// Whether it may meet a request; chance is another matter.
    func concerns(_ request: CloudRequest) -> Bool {
        let isMeant =
            switch requests {
            case .all: isAbout(request)
            case .reads: !request.isWrite
            case .writes: request.isWrite
            }
        return isMeant && (pods.isEmpty || request.pod.contains { pods.contains($0) })
    }

    /// Whether its kind goes with a request.
    private func isAbout(_ request: CloudRequest) -> Bool {
        switch kind {
        case .failed: request.isWrite
        case .noCode: request.changesState
        case .slow, .hang, .error, .noResult, .offline, .limit, .badPod, .lag: true
        }
    }
}

extension APIRoute.PodPart {
    /// Whether it is the state of the air conditioner, or a key of that.
    fileprivate var isState: Bool {
        switch self {
        case .acStates, .acState: true
        case .whole, .smartMode, .timer, .schedules, .schedule, .calibration, .pureBoost, .filterNotification,
            .history, .measurements, .events:
            false
        }
    }
}
