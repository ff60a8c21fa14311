public import ArgumentParser
public import FleetProtocol

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
