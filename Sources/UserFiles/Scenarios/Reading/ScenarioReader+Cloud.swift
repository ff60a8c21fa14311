import DeviceCore
import FleetProtocol

extension ScenarioReader {
    private static let cloudKeys = [
        "fault", "share", "requests", "path", "pods", "by", "status", "nulled", "missing", "from", "to",
    ]

    mutating func cloud(_ entry: Entry?) -> [CloudDay.Part]? {
        let limit = ScenarioLimits.cloudFaults
        return list(entry, upTo: limit, "faults {fault, share, from, to, …}")?.compactMap { part($0) }
    }

    private mutating func part(_ entry: Entry) -> CloudDay.Part? {
        guard let fields = fields(of: entry, Self.cloudKeys) else { return nil }
        guard fields["fault"] != nil else {
            let kinds = CloudFault.Kind.allCases.map(\.name).joined(separator: ", ")
            findings.add(entry.place, found: "no fault", allowed: "fault: one of \(kinds)")
            return nil
        }
        guard let kind = word(fields["fault"], CloudFault.Kind.allCases.map { ($0.name, $0) }) else {
            return nil
        }
        var fault = CloudFault(kind)
        readPart(of: &fault, fields)
        readValues(of: &fault, fields)
        guard let (from, to) = times(entry, fields) else { return nil }
        return CloudDay.Part(fault, from: from, to: to)
    }

    /// Reads which requests or pods a fault affects.
    private mutating func readPart(of fault: inout CloudFault, _ fields: [String: Entry]) {
        let kind = fault.kind
        if isMeant(fields["share"], kind, { $0.hasPart }) {
            let what = kind.isOfPods ? "the fraction of pods" : "the fraction of requests"
            fault.share = number(fields["share"], in: 0.001...1, what) ?? 1
        }
        if isMeant(fields["requests"], kind, { $0.hasRequests }) {
            fault.requests =
                word(fields["requests"], CloudFault.Requests.allCases.map { ("\($0)", $0) }) ?? .all
        }
        if isMeant(fields["path"], kind, { $0.hasTimes }) {
            let allowed = "a path from / on, with * for one part"
            fault.path =
                scalar(fields["path"], allowed) { text, _ in CloudFault.allows(path: text) ? text : nil }
                ?? ""
        }
        if isMeant(fields["pods"], kind, { $0.hasPart }) {
            let entries = list(fields["pods"], upTo: ScenarioLimits.cloudPods, "names of pods") ?? []
            fault.pods = entries.compactMap { shortName($0) }
        }
    }

    private mutating func readValues(of fault: inout CloudFault, _ fields: [String: Entry]) {
        let kind = fault.kind
        if isMeant(fields["by"], kind, { $0.longestDelay != nil }), let longest = kind.longestDelay {
            fault.delay = duration(fields["by"], in: .milliseconds(1)...longest) ?? fault.delay
        }
        if isMeant(fields["status"], kind, { $0 == .error }) {
            fault.status = status(fields["status"]) ?? fault.status
        }
        for (key, isMissing) in [("nulled", false), ("missing", true)] {
            guard isMeant(fields[key], kind, { $0 == .badPod }) else { continue }
            guard let podKey = word(fields[key], CloudFault.PodKey.allCases.map { ($0.name, $0) }) else {
                continue
            }
            fault.key = podKey
            fault.isKeyMissing = isMissing
        }
        if let entry = fields["missing"], fields["nulled"] != nil {
            findings.add(
                entry.place, found: "both nulled and missing", allowed: "one of them: one key for each fault")
        }
    }

    /// Returns whether a key that this kind of fault has is present; a key that it does not have is refused.
    private mutating func isMeant(
        _ entry: Entry?, _ kind: CloudFault.Kind, _ has: (CloudFault.Kind) -> Bool
    ) -> Bool {
        guard let entry else { return false }
        guard has(kind) else {
            let kinds = CloudFault.Kind.allCases.filter(has).map(\.name).joined(separator: ", ")
            findings.add(
                entry.place, found: "a key that \(kind.name) does not have",
                allowed: "this key only in \(kinds)")
            return false
        }
        return true
    }

    private mutating func status(_ entry: Entry?) -> Int? {
        let allowed = CloudFault.statuses.map(String.init).joined(separator: ", ")
        return scalar(entry, allowed) { text, isQuoted in
            guard !isQuoted, let status = Int(text) else { return nil }
            return CloudFault.statuses.contains(status) ? status : nil
        }
    }

    /// Reads when a fault is active: both times, or none for all day.
    private mutating func times(_ entry: Entry, _ fields: [String: Entry]) -> (UInt32, UInt32)? {
        guard fields["from"] != nil || fields["to"] != nil else { return (0, 0) }
        guard let period = period(entry, fields) else { return nil }
        return (UInt32(period.from.secondOfDay), UInt32(period.to.secondOfDay))
    }
}
