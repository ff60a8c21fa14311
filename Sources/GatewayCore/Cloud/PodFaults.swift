import FleetProtocol
import Stepping

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
