/// A fault of the simulated Sensibo API, as opposed to a fault of a device.
///
/// Which values apply depends on the kind; the others keep their defaults.
public struct CloudFault: Hashable, Sendable {
    /// The kinds of faults.
    public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
        /// Requests are carried out, and answered late.
        case slow
        /// Requests are accepted, but neither carried out nor answered.
        case hang
        /// Requests are answered with an error status, and not carried out.
        case error
        /// Requests are carried out, and the answer lacks the result.
        case noResult
        /// Changes are not carried out, and the answer reports a failure.
        case failed
        /// Pods are shown as dead, and changes of them fail.
        case offline
        /// Requests beyond Sensibo's rate limit are refused.
        case limit
        /// A key of pods is null, or missing.
        case badPod
        /// Pods are shown with an earlier state.
        case lag
        /// Changes of a state are not carried out, and the answer says that the remote has no code for it.
        case noCode
    }

    /// The requests that a fault affects.
    public enum Requests: UInt8, CaseIterable, Hashable, Sendable {
        /// All requests.
        case all
        /// Requests that only read.
        case reads
        /// Requests that change something.
        case writes
    }

    /// A key of a pod object that clients require.
    public enum PodKey: UInt8, CaseIterable, Hashable, Sendable {
        /// The key of that name.
        case acState, connectionStatus, room, measurements, remoteCapabilities, productModel
        /// The key of that name.
        case firmwareVersion, serial, macAddress, location, sensorsCalibration, motionSensors
        /// The key of that name.
        case schedules, timer, smartMode, filtersCleaning, pureBoostConfig, temperatureUnit
        /// The key of that name.
        case id, firmwareType, currentlyAvailableFirmwareVersion, mainMeasurementsSensor
        /// The key of that name.
        case roomIsOccupied, antiMoldConfig, autoOffEnabled, autoOffMinutes

        /// The key in the object.
        public var name: String { "\(self)" }
    }

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
        case .slow, .hang, .error, .failed, .offline, .limit, .lag: "\(self)"
        }
    }

    /// The default delay or age: longer than pysensibo's timeout (8 s); nil if the kind has none.
    public var usualDelay: Duration? {
        switch self {
        case .slow, .lag: .seconds(10)
        case .hang, .error, .noResult, .failed, .offline, .limit, .badPod, .noCode: nil
        }
    }

    /// The longest delay or age; nil if the kind has none.
    public var longestDelay: Duration? {
        switch self {
        case .slow: Limits.longestDelay
        case .lag: Limits.longestLag
        case .hang, .error, .noResult, .failed, .offline, .limit, .badPod, .noCode: nil
        }
    }

    /// Whether the fault changes how pods are shown, for a time; otherwise it affects requests one by one.
    public var isOfPods: Bool {
        switch self {
        case .offline, .badPod, .lag: true
        case .slow, .hang, .error, .noResult, .failed, .limit, .noCode: false
        }
    }

    /// Whether it can affect a fraction or some pods; the rate limit cannot, because it applies to each key.
    public var hasPart: Bool { self != .limit }

    /// Whether it can affect only reads or only writes.
    public var hasRequests: Bool {
        switch self {
        case .slow, .hang, .error, .noResult: true
        case .failed, .offline, .limit, .badPod, .lag, .noCode: false
        }
    }

    /// Whether it can end after a number of requests.
    public var hasTimes: Bool { !isOfPods && self != .limit }
}
