extension Limits {
    /// Testers of one load test.
    public static let loadTesters = 64
    /// Load tests at a time in all accounts; each account has at most one.
    public static let allLoadTests = 16
    /// Bytes of the plan of a load test.
    public static let loadPlanBytes = 8 * 1_024
    /// Bytes in one part of a tester's result; with its heading it fits in ``messageBytes``.
    public static let loadPartBytes = 15 * 1_024
    /// Bytes of a tester's result.
    public static let loadResultBytes: UInt64 = 64 * 1_024 * 1_024
    /// The longest time from the start of a load test to the first request of its testers.
    public static let longestLoadDelay: Duration = .seconds(10)
    /// The time after which a silent coordinator or tester counts as lost.
    public static let loadTestLease: Duration = .seconds(15)
}

/// A request about the load test of the user's account; each can be repeated.
///
/// A coordinator opens the test, waits for its testers, starts and follows them, and pulls their results. A
/// tester joins, reports, and sends its result in parts.
public enum LoadTestRequest: Sendable, Equatable, ServiceRequest {
    /// Opens a load test under an ID made for it, or returns its state if it is open.
    case open(LoadTestOpening)
    /// Returns the state of a load test.
    case watch(RequestID)
    /// Lets the testers begin at one instant, at most ``Limits/longestLoadDelay`` from now.
    case start(RequestID, delay: Duration)
    /// Lets the testers stop early and send their results, without waiting for replies if they abandon their
    /// requests; returns the state.
    case stop(RequestID, isAbandoning: Bool)
    /// Returns the part of a tester's result at an offset, and confirms all parts before it.
    case pull(RequestID, tester: UInt32, offset: UInt64)
    /// Discards a load test.
    case end(RequestID)
    /// Asks for a place in the account's load test, or returns the place that the tester has.
    case join(TesterEntry)
    /// Reports the state of a tester, which takes its place again if the controller has forgotten it.
    case report(TesterReport)
    /// Sends a part of a tester's result.
    case part(TesterPart)

    /// The reply to a ``LoadTestRequest``.
    public typealias Reply = LoadTestReply

    /// The service `load_tests`.
    public static let service = ServiceName(constant: "load_tests")

    /// A repeat changes nothing more.
    public var traits: RequestTraits { RequestTraits(retry: .onSilence, keyScope: .switch) }
}

/// The controller's reply to a ``LoadTestRequest``.
public enum LoadTestReply: Sendable, Equatable {
    /// The state of a load test.
    case state(LoadTestState)
    /// The load test is discarded.
    case ended
    /// A part of a tester's result; empty if the tester has not sent it yet.
    case part(TesterPart)
    /// The tester's place.
    case order(TesterOrder)
    /// No load test of the account needs a tester.
    case noOrder
    /// What the tester has to do.
    case signal(TesterSignal)
    /// The offset of the part to send next: the same one again if its predecessor has not been pulled yet.
    case taken(nextOffset: UInt64)
}

/// The opening of a load test.
public struct LoadTestOpening: Hashable, Sendable {
    /// The ID of the load test, made before the first try.
    public let id: RequestID
    /// The number of testers: 1 to ``Limits/loadTesters``.
    public let testers: UInt32
    /// The load, in a form that coordinator and testers agree on: at most ``Limits/loadPlanBytes``.
    public let plan: [UInt8]
    /// After a restart of the controller: the time to the start that the testers had, negative if it has
    /// passed; nil before the start.
    public let startsIn: Duration?

    /// An opening with the given values.
    public init(id: RequestID, testers: UInt32, plan: [UInt8], startsIn: Duration? = nil) {
        (self.id, self.testers, self.plan, self.startsIn) = (id, testers, plan, startsIn)
    }
}
