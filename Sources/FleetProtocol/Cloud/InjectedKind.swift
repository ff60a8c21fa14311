/// A fault that users can inject, into devices or into the cloud.
package enum InjectedKind: Hashable, Sendable {
    case device(Fault)
    case cloud(CloudFault.Kind)

    package static let all = Fault.allCases.map(Self.device) + CloudFault.Kind.allCases.map(Self.cloud)

    /// The default duration of a fault.
    package static let usualDuration: Duration = .seconds(30)
    /// The default delay of slow devices.
    package static let usualDelay: Duration = .seconds(2)

    /// The kind with a name; nil for an unknown name.
    package init?(name: String) {
        guard let kind = Self.all.first(where: { $0.name == name }) else { return nil }
        self = kind
    }

    /// The kind's name, such as `offline` or `cloud-slow`.
    package var name: String {
        switch self {
        case .device(let fault): fault.name
        case .cloud(let kind): "cloud-\(kind.name)"
        }
    }

    package var hasDuration: Bool {
        switch self {
        case .device(let fault): fault.hasDuration
        case .cloud: true
        }
    }

    /// The longest delay; nil for kinds without one.
    package var longestDelay: Duration? {
        switch self {
        case .device(let fault): fault.hasDelay ? Limits.longestDelay : nil
        case .cloud(let kind): kind.longestDelay
        }
    }
}
