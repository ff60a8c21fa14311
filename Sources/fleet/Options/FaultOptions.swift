public import ArgumentParser
public import FleetProtocol

extension InjectedKind: ExpressibleByArgument {
    package init?(argument: String) { self.init(name: argument) }

    package static var allValueStrings: [String] { all.map(\.name) }
}

extension CloudFault.Requests: ExpressibleByArgument {
    /// Parses `reads` or `writes`; without the option, a fault affects both.
    public init?(argument: String) {
        switch argument {
        case "reads": self = .reads
        case "writes": self = .writes
        default: return nil
        }
    }

    /// The allowed names, shown in help and completions.
    public static var allValueStrings: [String] { ["reads", "writes"] }
}

/// The options of cloud faults: which requests or pods they affect, and how.
struct CloudFaultOptions: ParsableArguments {
    @Option(
        parsing: .unconditional,
        help: .value(
            "part", "Cloud faults: fraction of requests (or pods) affected, 0.001 to 1 (default: all)."),
        transform: {
            try Double($0).flatMap { (0.001...1).contains($0) ? $0 : nil }.orInvalid(
                "write a fraction of 0.001 to 1, such as 0.1 for 10%")
        })
    var share: Double?

    @Option(help: "Cloud faults: affect only one kind of request.") var only: CloudFault.Requests?
    @Option(
        help: .value("path", "Cloud faults: affect only requests of this path; * stands for one part of it."))
    var path: String?
    @Option(help: .value("count", "Cloud faults: end after this many requests.")) var times: UInt32?
    @Option(help: "For cloud-error: 401, 403, 429, 500, 502, 503 or 504 (default: 500).") var status: Int?

    @Option(help: .value("key", "For cloud-bad-pod: the null key (default: acState)."))
    var nulled: CloudFault.PodKey?

    @Option(help: .value("key", "For cloud-bad-pod: the key that is missing."))
    var missing: CloudFault.PodKey?

    func validate() throws {
        if let status, !CloudFault.statuses.contains(status) {
            throw ValidationError("--status \(status): allowed are 401, 403, 429, 500, 502, 503 and 504")
        }
        if let path {
            try require(
                CloudFault.allows(path: path),
                "--path: expected a path that begins with /, of up to \(CloudFault.pathBytes) bytes, without a query"
            )
        }
        if times == 0 { throw ValidationError("--times 0: expected 1 or more") }
        try require(
            nulled == nil || missing == nil, "give --nulled or --missing, not both: a fault affects one key")
    }

    func fault(_ kind: CloudFault.Kind, by delay: Duration?) throws -> CloudFault {
        for (option, applies) in given where !applies(kind) {
            let kinds = CloudFault.Kind.allCases.filter(applies).map { InjectedKind.cloud($0).name }
            throw ValidationError(
                "\(option): cloud-\(kind.name) does not have it; it applies to \(kinds.joined(separator: ", "))"
            )
        }
        var fault = CloudFault(kind)
        fault.share = share ?? 1
        fault.requests = only ?? .all
        fault.times = times
        fault.path = path ?? ""
        fault.status = status ?? fault.status
        fault.key = nulled ?? missing ?? fault.key
        fault.isKeyMissing = missing != nil
        fault.delay = delay ?? fault.delay
        return fault
    }

    /// Rejects the options of cloud faults for a device fault.
    func refuseAll(for fault: Fault) throws {
        guard let first = given.first else { return }
        throw ValidationError("\(first.option) is for cloud faults, not for \(fault.name)")
    }

    /// The options that are given, and the kinds of faults to which each applies.
    private var given: [(option: String, applies: (CloudFault.Kind) -> Bool)] {
        let options: [(String, Bool, (CloudFault.Kind) -> Bool)] = [
            ("--share", share != nil, { $0.hasPart }), ("--only", only != nil, { $0.hasRequests }),
            ("--times", times != nil, { $0.hasTimes }), ("--path", path != nil, { $0.hasTimes }),
            ("--status", status != nil, { $0 == .error }),
            ("--nulled", nulled != nil, { $0 == .badPod }), ("--missing", missing != nil, { $0 == .badPod }),
        ]
        return options.filter(\.1).map { ($0.0, $0.2) }
    }
}
