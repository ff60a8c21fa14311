public import FleetProtocol
public import Stepping

/// The faults of the cloud that a gateway goes by: which are in force, and what they do to whom.
///
/// It has its plan from the supervisor and keeps nothing else but what has met requests since then. Chance
/// follows from the plan's seed, so the same requests in the same order have the same fates.
public struct CloudFaults: Sendable {
    /// The longest that a request hangs, however long its fault lasts.
    public static let longestHang: Duration = .seconds(60)

    private struct Entry: Sendable {
        var planned: PlannedCloudFault
        var chance: SeededGenerator
    }

    private var plan = CloudPlan(revision: 0)
    private var takenAt = MonotonicTime.zero
    private var entries: [Entry] = []
    /// Requests met since the gateway's start, by kind.
    private var met: [UInt64] = Array(repeating: 0, count: CloudFault.Kind.allCases.count)

    /// Nothing goes wrong.
    public init() {}

    /// What is to be said to the supervisor.
    public var report: CloudReport {
        CloudReport(
            revision: plan.revision,
            meetings: entries.filter { $0.planned.met > 0 }.prefix(2 * Limits.cloudFaults)
                .map { CloudReport.Meeting(number: $0.planned.number, met: $0.planned.met) })
    }

    /// Goes by another plan from now on; chance goes on where a fault was in the former one, too.
    public mutating func take(_ plan: CloudPlan, at now: MonotonicTime) {
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
        takenAt = now
    }

    /// What becomes of a request; those that it meets are counted.
    ///
    /// Faults count in the order in which they were planned, until one keeps it from being carried out.
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

    /// Whether a fault is in force, or would be if it had not met all that it was to meet.
    public func lasts(_ number: UInt64, at now: MonotonicTime) -> Bool {
        guard var planned = entries.first(where: { $0.planned.number == number })?.planned else {
            return false
        }
        planned.fault.times = nil
        return age(of: planned, at: now) != nil
    }

    /// How pods are shown that are not as they should be; nil where all are.
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
        plan.age(of: planned, after: takenAt.duration(to: now))
    }

    /// Tells which are in force, and how many requests they have met.
    public func write(to text: inout MetricsText, at now: MonotonicTime) {
        let inForce = entries.filter { age(of: $0.planned, at: now) != nil }.map(\.planned.fault.kind)
        text.family("sensibus_cloud_faults", .gauge, "Faults of the cloud that are in force.")
        for kind in CloudFault.Kind.allCases {
            text.value(
                "sensibus_cloud_faults", [("fault", kind.name)], UInt64(inForce.count { $0 == kind }))
        }
        text.family("sensibus_cloud_faults_met_total", .counter, "Requests that met a fault of the cloud.")
        for kind in CloudFault.Kind.allCases where !kind.isOfPods && kind != .limit {
            text.value(
                "sensibus_cloud_faults_met_total", [("fault", kind.name)], met[Int(kind.rawValue)])
        }
    }
}

extension CloudTreatment {
    /// What a fault does beside those before it; of two that make an answer late the later one counts.
    fileprivate mutating func add(_ planned: PlannedCloudFault) {
        switch planned.fault.kind {
        case .slow:
            guard planned.fault.delay > lateness?.delay ?? .zero else { return }
            lateness = Lateness(fault: planned.number, delay: planned.fault.delay)
        case .hang: hang = planned.number
        case .error: error = planned.fault.status
        case .noResult: losesResult = true
        case .failed: fails = true
        case .noCode: lacksCode = true
        case .limit: isLimited = true
        case .offline, .badPod, .lag: break
        }
    }
}

/// How pods are shown while faults of the cloud are about them.
///
/// Which pods a share means follows from the fault and the pod alone, so it is the same at each look.
public struct PodFaults: Sendable {
    struct Entry: Sendable {
        let fault: CloudFault
        let chance: UInt64
        let since: WallTime
    }

    let entries: [Entry]
    let now: WallTime

    /// A pod as it is shown.
    public func shown(_ pod: Pod, _ history: PodHistory) -> Pod {
        var pod = pod
        for entry in entries where entry.concerns(pod) {
            switch entry.fault.kind {
            case .offline: pod.cutOff(since: entry.since, history)
            case .lag: pod.goBack(to: now.advanced(by: .zero - entry.fault.delay), history)
            case .badPod: pod.flaws[entry.fault.key] = entry.fault.isKeyMissing ? .missing : .null
            case .slow, .hang, .error, .noResult, .failed, .limit, .noCode: break
            }
        }
        return pod
    }

    /// Whether changes of a pod fail, for the cloud takes it for dead.
    public func isCutOff(_ pod: Pod) -> Bool {
        entries.contains { $0.fault.kind == .offline && $0.concerns(pod) }
    }
}

extension PodFaults.Entry {
    fileprivate func concerns(_ pod: Pod) -> Bool {
        guard
            fault.pods.isEmpty || fault.pods.contains(pod.name)
                || fault.pods.contains(pod.device.description)
        else { return false }
        guard fault.share < 1 else { return true }
        // The 53 bits that a number of this type has.
        let draw = Double(SeededGenerator.mixed(chance ^ pod.device.bits) >> 11) / Double(1 << 53)
        return draw < fault.share
    }
}

/// What is wrong with a key of a pod object.
enum PodFlaw: Hashable, Sendable {
    /// It is not there.
    case missing
    /// It is there, and null.
    case null
}

extension Pod {
    /// The pod as the cloud had it last when it lost it: dead since then.
    fileprivate mutating func cutOff(since time: WallTime, _ history: PodHistory) {
        goBack(to: time, history)
        presence = Presence(.offline(.disconnected), since: time)
        asOf = min(asOf, time)
        guard let last = measured, last.at > time else { return }
        let sample = history.lastSample(of: device, until: time)
        measured = SnapshotChunk.Measured(
            sample?.measurements(like: last.measurements) ?? last.measurements, at: sample?.at ?? time)
    }

    /// The pod with the state that it had at a time, as far as that is remembered.
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
    /// What was measured, with what a sample does not keep as it was in another measurement.
    fileprivate func measurements(like other: Measurements) -> Measurements? {
        Measurements(
            deciCelsius: deciCelsius,
            feelsLikeDeciCelsius: deciCelsius + other.feelsLikeDeciCelsius - other.deciCelsius,
            humidityPermille: humidityPermille, rssiDBm: other.rssiDBm)
    }
}
