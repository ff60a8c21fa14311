public import FleetProtocol
import UserText

/// A fault that a test asks for, with the members of `fleet inject`:
/// `{"fault":"cloud-error","status":503,"times":1,"only":"writes"}`.
public struct FaultForm: Hashable, Sendable {
    public enum Kind: Hashable, Sendable {
        /// A fault of devices; with the delay of slow ones.
        case device(Fault, delay: Duration)
        /// A fault of the cloud, whose pods are not resolved yet.
        case cloud(CloudFault)
    }

    public let kind: Kind
    /// The names or IDs of the devices; empty for all pods, with a cloud fault.
    public let devices: [String]
    public let duration: Duration

    public init(_ body: [UInt8]) throws(APIError) {
        let form = try ControlForm(
            body,
            [
                "by", "devices", "fault", "for", "missing", "nulled", "only", "path", "share", "status",
                "times",
            ])
        guard let name = try form.text("fault"), let named = InjectedKind(name: name) else {
            throw .badRequest("fault must be one of \(InjectedKind.all.map(\.name).joined(separator: ", "))")
        }
        devices = try form.texts("devices")
        try Self.refuseOthers(in: form, of: named)
        var delay: Duration?
        if let longest = named.longestDelay { delay = try form.duration("by", upTo: longest) }
        duration = try form.duration("for", upTo: Limits.longestFault) ?? InjectedKind.usualDuration
        switch named {
        case .device(let fault):
            guard !devices.isEmpty else { throw .badRequest("devices must name one or more devices") }
            kind = .device(fault, delay: fault.hasDelay ? delay ?? InjectedKind.usualDelay : .zero)
        case .cloud(let kind): self.kind = .cloud(try Self.fault(kind, delay, form))
        }
    }

    private static func fault(
        _ kind: CloudFault.Kind, _ delay: Duration?, _ form: ControlForm
    ) throws(APIError) -> CloudFault {
        var fault = CloudFault(kind)
        fault.delay = delay ?? fault.delay
        fault.share = try form.number("share", in: 0.001...1) ?? 1
        fault.times = try form.number("times", in: 1...1e9).map { UInt32($0) }
        if let only = try form.text("only") {
            switch only {
            case "reads": fault.requests = .reads
            case "writes": fault.requests = .writes
            default: throw .badRequest("only must be reads or writes")
            }
        }
        if let status = form["status"] {
            guard let number = status.number.flatMap(Int.init(exactly:)), CloudFault.statuses.contains(number)
            else {
                let allowed = CloudFault.statuses.map(String.init).joined(separator: ", ")
                throw .badRequest("status must be one of \(allowed)")
            }
            fault.status = number
        }
        if let path = try form.text("path") {
            guard CloudFault.allows(path: path) else {
                throw .badRequest("path must begin with / and have up to \(CloudFault.pathBytes) bytes")
            }
            fault.path = path
        }
        let (nulled, missing) = (try form.text("nulled"), try form.text("missing"))
        guard let name = missing ?? nulled else { return fault }
        guard let key = CloudFault.PodKey.allCases.first(where: { $0.name == name }),
            nulled == nil || missing == nil
        else {
            let keys = CloudFault.PodKey.allCases.map(\.name).joined(separator: ", ")
            throw .badRequest("give one of nulled and missing, with one of \(keys)")
        }
        (fault.key, fault.isKeyMissing) = (key, missing != nil)
        return fault
    }

    /// Refuses members that the kind of fault does not have.
    private static func refuseOthers(in form: ControlForm, of named: InjectedKind) throws(APIError) {
        let cloud = if case .cloud(let kind) = named { kind } else { CloudFault.Kind?.none }
        let has: [(String, Bool)] = [
            ("by", named.longestDelay != nil), ("for", named.hasDuration),
            ("devices", cloud?.hasPart ?? true), ("share", cloud?.hasPart ?? false),
            ("only", cloud?.hasRequests ?? false), ("times", cloud?.hasTimes ?? false),
            ("path", cloud?.hasTimes ?? false),
            ("status", cloud == .error), ("nulled", cloud == .badPod), ("missing", cloud == .badPod),
        ]
        for (member, isKnown) in has where !isKnown && form[member] != nil {
            throw .badRequest("\(named.name) has no \(member)")
        }
    }
}
