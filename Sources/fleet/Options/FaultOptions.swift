public import ArgumentParser
public import FleetProtocol
import Wording

/// What `fleet inject` can make go wrong: something with devices, or with the cloud.
enum InjectedKind: Equatable, Sendable {
    /// With devices, or the nodes that host them.
    case device(Fault)
    /// With Sensibo's API.
    case cloud(CloudFault.Kind)

    /// All of them, in the order of the help.
    static let all = Fault.allCases.map(Self.device) + CloudFault.Kind.allCases.map(Self.cloud)

    /// What it is called.
    var name: String {
        switch self {
        case .device(let fault): fault.name
        case .cloud(let kind): "cloud-\(kind.name)"
        }
    }

    /// Whether it lasts.
    var hasDuration: Bool {
        switch self {
        case .device(let fault): fault.hasDuration
        case .cloud: true
        }
    }

    /// The longest by which something can be late; nil where nothing is.
    var longestDelay: Duration? {
        switch self {
        case .device(let fault): fault.hasDelay ? Limits.longestDelay : nil
        case .cloud(let kind): kind.longestDelay
        }
    }
}

extension InjectedKind: ExpressibleByArgument {
    /// The kind of that name.
    init?(argument: String) {
        guard let kind = Self.all.first(where: { $0.name == argument }) else { return nil }
        self = kind
    }

    /// The names, for help and completions.
    static var allValueStrings: [String] { all.map(\.name) }
}

extension CloudFault.PodKey: ExpressibleByArgument {
    /// The key of that name.
    public init?(argument: String) {
        guard let key = Self.allCases.first(where: { $0.name == argument }) else { return nil }
        self = key
    }

    /// The names, for help and completions.
    public static var allValueStrings: [String] { allCases.map(\.name) }
}

extension CloudFault.Requests: ExpressibleByArgument {
    /// Reads or writes: whoever means all names none.
    public init?(argument: String) {
        switch argument {
        case "reads": self = .reads
        case "writes": self = .writes
        default: return nil
        }
    }

    /// The names, for help and completions.
    public static var allValueStrings: [String] { ["reads", "writes"] }
}

/// What a fault of the cloud meets, and what it does.
struct CloudFaultOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: ArgumentHelp(
            "Of the cloud: which part of the requests, or pods, it meets: 0.001 to 1 (default: all).",
            valueName: "part"))
    var share: Double?

    @Option(help: "Of the cloud: meet requests of one kind alone.")
    var only: CloudFault.Requests?

    @Option(help: ArgumentHelp("Of the cloud: be over after so many requests.", valueName: "count"))
    var times: UInt32?

    @Option(help: "Of cloud-error: 401, 403, 429, 500, 502, 503 or 504 (default: 500).")
    var status: Int?

    @Option(help: ArgumentHelp("Of cloud-bad-pod: what is null (default: acState).", valueName: "key"))
    var nulled: CloudFault.PodKey?

    @Option(help: ArgumentHelp("Of cloud-bad-pod: what is missing.", valueName: "key"))
    var missing: CloudFault.PodKey?

    func validate() throws {
        if let share, !(0.001...1).contains(share) {
            throw ValidationError("--share \(share): a part is 0.001 to 1")
        }
        if let status, !CloudFault.statuses.contains(status) {
            throw ValidationError("--status \(status): allowed are 401, 403, 429, 500, 502, 503 and 504")
        }
        if times == 0 { throw ValidationError("--times 0: a fault meets a request at least") }
        guard nulled == nil || missing == nil else {
            throw ValidationError("--nulled and --missing: a fault is about one key, so inject two")
        }
    }

    /// The fault of a kind with these values.
    ///
    /// - Throws: `ValidationError` for a value that the kind does not have.
    func fault(_ kind: CloudFault.Kind, by delay: Duration?) throws -> CloudFault {
        try check("--share", share != nil, kind) { $0.hasPart }
        try check("--only", only != nil, kind) { $0.hasRequests }
        try check("--times", times != nil, kind) { $0.hasTimes }
        try check("--status", status != nil, kind) { $0 == .error }
        try check("--nulled", nulled != nil, kind) { $0 == .badPod }
        try check("--missing", missing != nil, kind) { $0 == .badPod }
        var fault = CloudFault(kind)
        fault.share = share ?? 1
        fault.requests = only ?? .all
        fault.times = times
        fault.status = status ?? fault.status
        fault.key = nulled ?? missing ?? fault.key
        fault.isKeyMissing = missing != nil
        fault.delay = delay ?? fault.delay
        return fault
    }

    /// Refuses all of them where what goes wrong is no fault of the cloud.
    ///
    /// - Throws: `ValidationError`.
    func refuseAll(for fault: Fault) throws {
        let given: [(String, Bool)] = [
            ("--share", share != nil), ("--only", only != nil), ("--times", times != nil),
            ("--status", status != nil), ("--nulled", nulled != nil), ("--missing", missing != nil),
        ]
        guard let first = given.first(where: \.1) else { return }
        throw ValidationError("\(first.0): only faults of the cloud have it, and this is \(fault.name)")
    }

    private func check(
        _ option: String, _ isGiven: Bool, _ kind: CloudFault.Kind, _ has: (CloudFault.Kind) -> Bool
    ) throws {
        guard isGiven, !has(kind) else { return }
        let kinds = CloudFault.Kind.allCases.filter(has).map { InjectedKind.cloud($0).name }
        throw ValidationError(
            "\(option): a cloud-\(kind.name) does not have it; it goes with \(kinds.joined(separator: ", "))")
    }
}
