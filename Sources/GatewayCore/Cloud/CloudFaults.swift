public import FleetProtocol
public import UserText

/// The cloud faults that a gateway simulates: the plan, the faults in force, and their effect on requests.
/// The plan comes from the supervisor; all other state is counts of affected requests and random generators.
/// The plan's seed determines the generators: the same requests in the same order meet the same faults.
public struct CloudFaults: Sendable {
    /// The longest time that a request hangs, even if its fault lasts longer.
    public static let longestHang: Duration = .seconds(60)

    private struct Entry: Sendable {
        var planned: PlannedCloudFault
        var chance: SeededGenerator
    }

    private var plan = CloudPlan(revision: 0)
    /// The number of plans adopted.
    public private(set) var plans = 0
    private var adoptedAt = MonotonicTime.zero
    private var entries: [Entry] = []
    /// Requests met since the gateway's start, by kind.
    private var met: [UInt64] = Array(repeating: 0, count: CloudFault.Kind.allCases.count)

    public init() {}

    public var clock: SimulatedClock { plan.clock }

    /// Whether the plan has faults, in force or not.
    public var hasFaults: Bool { !entries.isEmpty }

    /// The report to the supervisor: the plan's revision, and the count of affected requests for each fault.
    public var report: CloudReport {
        CloudReport(
            revision: plan.revision,
            meetings: entries.filter { $0.planned.met > 0 }.prefix(2 * Limits.cloudFaults)
                .map { CloudReport.Meeting(number: $0.planned.number, met: $0.planned.met) })
    }

    /// Adopts a plan; faults that the former plan had too keep their random generators and counts.
    public mutating func apply(_ plan: CloudPlan, at now: MonotonicTime) {
        let former = Dictionary(entries.map { ($0.planned.number, $0) }) { first, _ in first }
        entries = plan.faults.map { planned in
            guard var known = former[planned.number] else {
                return Entry(planned: planned, chance: .derived(seed: plan.seed, purpose: planned.number))
            }
            let met = max(known.planned.met, planned.met)
            known.planned = planned
            known.planned.met = met
            return known
        }
        self.plan = plan
        plans += 1
        adoptedAt = now
    }

    /// Returns the treatment of a request, and counts the request for each fault that affects it. Faults
    /// apply in planned order, up to the first hang or error. A rate limit is not counted here.
    public mutating func meet(_ request: CloudRequest, at now: MonotonicTime) -> CloudTreatment {
        var treatment = CloudTreatment.none
        for index in entries.indices {
            let planned = entries[index].planned
            let fault = planned.fault
            guard !fault.kind.isOfPods, fault.concerns(request), age(of: planned, at: now) != nil,
                isDrawn(index)
            else { continue }
            treatment.add(planned)
            guard fault.kind != .limit else { continue }
            entries[index].planned.met += 1
            met[Int(fault.kind.rawValue)] += 1
            if treatment.hang != nil || treatment.error != nil { break }
        }
        return treatment
    }

    private mutating func isDrawn(_ index: Int) -> Bool {
        let share = entries[index].planned.fault.share
        return share >= 1 || Double.random(in: 0..<1, using: &entries[index].chance) < share
    }

    /// Whether a fault is in force, regardless of its maximum number of requests.
    public func lasts(_ number: UInt64, at now: MonotonicTime) -> Bool {
        guard var planned = entries.first(where: { $0.planned.number == number })?.planned else {
            return false
        }
        planned.fault.times = nil
        return age(of: planned, at: now) != nil
    }

    /// Returns the faults in force that alter pod objects; nil without any.
    public func podFaults(at now: Moment) -> PodFaults? {
        let inForce: [PodFaults.Entry] = entries.compactMap { entry in
            guard entry.planned.fault.kind.isOfPods, let age = age(of: entry.planned, at: now.monotonic)
            else { return nil }
            return PodFaults.Entry(
                fault: entry.planned.fault, chance: SeededGenerator.mixed(plan.seed ^ entry.planned.number),
                since: now.wall.advanced(by: .zero - age))
        }
        return inForce.isEmpty ? nil : PodFaults(entries: inForce, now: now.wall)
    }

    private func age(of planned: PlannedCloudFault, at now: MonotonicTime) -> Duration? {
        plan.age(of: planned, after: adoptedAt.duration(to: now))
    }

    /// Writes the number of faults in force, and of requests that they affected, for each kind.
    public func write(to text: inout MetricsText, at now: MonotonicTime) {
        let inForce = entries.filter { age(of: $0.planned, at: now) != nil }.map(\.planned.fault.kind)
        text.family("sensibus_cloud_faults", .gauge, "Active cloud faults.")
        for kind in CloudFault.Kind.allCases {
            text.value("sensibus_cloud_faults", [("fault", kind.name)], UInt64(inForce.count { $0 == kind }))
        }
        text.family("sensibus_cloud_faults_met_total", .counter, "Requests that a cloud fault has affected.")
        for kind in CloudFault.Kind.allCases where !kind.isOfPods && kind != .limit {
            text.value("sensibus_cloud_faults_met_total", [("fault", kind.name)], met[Int(kind.rawValue)])
        }
    }
}

extension CloudTreatment {
    /// Adds the effect of a fault to those of the faults before it; of two delays the longer one applies.
    fileprivate mutating func add(_ planned: PlannedCloudFault) {
        // A limit only has an effect on the requests that it refuses.
        if planned.fault.kind != .limit { kinds.append(planned.fault.kind) }
        switch planned.fault.kind {
        case .slow:
            guard planned.fault.delay > lateness?.delay ?? .zero else { return }
            lateness = Lateness(fault: planned.number, delay: planned.fault.delay)
        case .hang: hang = planned.number
        case .error: error = planned.fault.status
        case .noResult: losesResult = true
        case .failed: fails = true
        case .noCode: lacksCode = true
        case .reset: damage = .reset
        case .truncated: damage = .truncated
        case .html: damage = .html
        case .limit: isLimited = true
        case .offline, .badPod, .lag: break
        }
    }
}

/// The cloud faults that alter pod objects, at one moment. A hash of the plan's seed, the fault and the pod
/// selects the pods of a share: the same ones at each read.
public struct PodFaults: Sendable {
    struct Entry: Sendable {
        let fault: CloudFault
        let chance: UInt64
        let since: WallTime
    }

    let entries: [Entry]
    let now: WallTime

    /// Returns a pod as the API shows it under these faults.
    public func shown(_ pod: Pod, _ history: PodHistory) -> Pod {
        var pod = pod
        for entry in entries where entry.concerns(pod) {
            switch entry.fault.kind {
            case .offline: pod.cutOff(since: entry.since, history)
            case .lag: pod.goBack(to: now.advanced(by: .zero - entry.fault.delay), history)
            case .badPod: pod.flaws[entry.fault.key] = entry.fault.isKeyMissing ? .missing : .null
            case .slow, .hang, .error, .noResult, .failed, .limit, .noCode, .reset, .truncated, .html: break
            }
        }
        return pod
    }

    /// Returns the kinds of the faults that concern one of the pods.
    public func kinds(of pods: [Pod]) -> [CloudFault.Kind] {
        entries.filter { entry in pods.contains { entry.concerns($0) } }.map(\.fault.kind)
    }

    /// Whether changes of a pod fail because of a fault `offline`.
    public func isCutOff(_ pod: Pod) -> Bool {
        entries.contains { $0.fault.kind == .offline && $0.concerns(pod) }
    }
}

extension PodFaults.Entry {
    fileprivate func concerns(_ pod: Pod) -> Bool {
        guard
            fault.pods.isEmpty || fault.pods.contains(pod.name) || fault.pods.contains(pod.device.description)
        else { return false }
        guard fault.share < 1 else { return true }
        // The upper 53 bits: the precision of a `Double`.
        let draw = Double(SeededGenerator.mixed(chance ^ pod.device.bits) >> 11) / Double(1 << 53)
        return draw < fault.share
    }
}

/// A fault in one key of a pod object.
enum PodFlaw: Hashable, Sendable {
    case missing
    case null
}

extension Pod {
    /// Sets the pod to its last state and measurement before a time, and its presence to offline since then.
    fileprivate mutating func cutOff(since time: WallTime, _ history: PodHistory) {
        goBack(to: time, history)
        presence = Presence(.offline(.disconnected), since: time)
        asOf = min(asOf, time)
        guard let last = measured, last.at > time else { return }
        let sample = history.lastSample(of: device, until: time)
        measured = SnapshotChunk.Measured(
            sample?.measurements(like: last.measurements) ?? last.measurements, at: sample?.at ?? time)
    }

    /// Sets the pod to the state that it had at a time, as far back as the history goes.
    fileprivate mutating func goBack(to time: WallTime, _ history: PodHistory) {
        var state = state
        for change in history.changes(of: device, limit: PodHistory.changesAtMost)
        where change.isMade {
            guard change.at > time, let before = change.before else { break }
            state = before
        }
        reported = DeviceState(state: state, version: reported.version, incarnation: reported.incarnation)
        changes = history.changeTimes(of: device, until: time)
    }
}

extension Sample {
    /// Returns the sample as measurements; a sample does not store the signal strength, so it is copied from
    /// another measurement.
    fileprivate func measurements(like other: Measurements) -> Measurements? {
        Measurements(deciCelsius: deciCelsius, humidityPermille: humidityPermille, rssiDBm: other.rssiDBm)
    }
}
