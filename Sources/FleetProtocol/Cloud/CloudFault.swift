/// What goes wrong between Sensibo's API and those who ask it: a fault of the cloud, and not of a device.
///
/// Which values mean anything depends on the kind; the others are as they are of themselves.
public struct CloudFault: Hashable, Sendable {
    /// What goes wrong.
    public enum Kind: UInt8, CaseIterable, Hashable, Sendable {
        /// Requests are carried out, and answered late.
        case slow
        /// Requests are taken, neither carried out nor answered.
        case hang
        /// Requests are answered with the status of an error, and not carried out.
        case error
        /// Requests are carried out, and what they gave is missing in the answer.
        case noResult
        /// Changes are not carried out, and the answer says that they failed.
        case failed
        /// Pods are shown as dead, and changes of them fail.
        case offline
        /// Whoever asks more often than Sensibo lets one is turned away.
        case limit
        /// A key of pods is null, or missing.
        case badPod
        /// Pods are shown with the state that they had a while ago.
        case lag
        /// Changes of a state are not carried out, and the answer says that the remote has no code for it.
        case noCode
    }

    /// Which requests it meets.
    public enum Requests: UInt8, CaseIterable, Hashable, Sendable {
        /// Every one.
        case all
        /// Those that only read.
        case reads
        /// Those that change something.
        case writes
    }

    /// A key of a pod object without which clients do not get along.
    public enum PodKey: UInt8, CaseIterable, Hashable, Sendable {
        case acState, connectionStatus, room, measurements, remoteCapabilities, productModel
        case firmwareVersion, serial, macAddress, location, sensorsCalibration, motionSensors
        case schedules, timer, smartMode, filtersCleaning, pureBoostConfig, temperatureUnit
        case id, firmwareType, currentlyAvailableFirmwareVersion, mainMeasurementsSensor
        case roomIsOccupied, antiMoldConfig, autoOffEnabled, autoOffMinutes

        /// The key as it stands in the object.
        public var name: String { "\(self)" }
    }

    /// Statuses that an error can have.
    public static let statuses = [401, 403, 429, 500, 502, 503, 504]

    /// What goes wrong.
    public var kind: Kind
    /// Which requests it meets.
    public var requests = Requests.all
    /// Which part of them, or of the pods: above 0, up to 1.
    public var share = 1.0
    /// The pods that it is about, by their ids or names, up to ``Limits/faultDevices``; empty: all of them.
    public var pods: [String] = []
    /// How late answers are, or how old what pods show is.
    public var delay = Duration.zero
    /// The status of an error, one of ``statuses``.
    public var status = 500
    /// How many requests it meets until it is over; nil: any number.
    public var times: UInt32?
    /// Which key is wrong.
    public var key = PodKey.acState
    /// Whether that key is missing; otherwise it is null.
    public var isKeyMissing = false

    /// A fault of that kind as it is of itself.
    public init(_ kind: Kind) {
        self.kind = kind
        delay = kind.usualDelay ?? .zero
    }
}

extension CloudFault.Kind {
    /// What it is called.
    public var name: String {
        switch self {
        case .noResult: "no-result"
        case .badPod: "bad-pod"
        case .noCode: "no-code"
        case .slow, .hang, .error, .failed, .offline, .limit, .lag: "\(self)"
        }
    }

    /// How late or old things are where nobody says it: later than pysensibo waits (8 s).
    public var usualDelay: Duration? {
        switch self {
        case .slow, .lag: .seconds(10)
        case .hang, .error, .noResult, .failed, .offline, .limit, .badPod, .noCode: nil
        }
    }

    /// The longest by which things can be late or old; nil where nothing is.
    public var longestDelay: Duration? {
        switch self {
        case .slow: Limits.longestDelay
        case .lag: Limits.longestLag
        case .hang, .error, .noResult, .failed, .offline, .limit, .badPod, .noCode: nil
        }
    }

    /// Whether it is of pods as they are shown, and lasts; otherwise it meets requests one by one.
    public var isOfPods: Bool {
        switch self {
        case .offline, .badPod, .lag: true
        case .slow, .hang, .error, .noResult, .failed, .limit, .noCode: false
        }
    }

    /// Whether a part of all can be meant, or some pods: not of the limit, which is one for each key.
    public var hasPart: Bool { self != .limit }

    /// Whether reads or writes alone can be meant.
    public var hasRequests: Bool {
        switch self {
        case .slow, .hang, .error, .noResult: true
        case .failed, .offline, .limit, .badPod, .lag, .noCode: false
        }
    }

    /// Whether it can be over after so many requests.
    public var hasTimes: Bool { !isOfPods && self != .limit }
}
