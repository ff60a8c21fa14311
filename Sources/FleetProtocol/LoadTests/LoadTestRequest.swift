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

extension LoadTestRequest: ServiceRequest {
    /// The reply to a ``LoadTestRequest``.
    public typealias Reply = LoadTestReply

    /// The service `load_tests`.
    public static let service = ServiceName(constant: "load_tests")

    /// A repeat changes nothing more.
    public var traits: RequestTraits { RequestTraits(retry: .onSilence, keyScope: .switch) }
}
