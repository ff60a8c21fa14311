import FleetProtocol
import FleetReplica
import UserText

/// The values that a condition is evaluated on: a device's current state, and the outcome of a request that
/// has just ended.
struct ConditionSubject {
    /// The device with its names; nil if the event does not concern a device.
    let device: FleetEvent.Device?
    /// Its row; nil for an unknown or removed device.
    let row: ReplicaRow?
    /// The outcome of a request for it that has just ended; nil if none ended.
    var outcome: Outcome?
    let replica: Replica

    /// The subject for a device of a replica.
    init(_ row: ReplicaRow, of replica: Replica) {
        device = replica.named(row)
        (self.row, self.replica) = (row, replica)
    }

    /// The subject for the device of an event, or for an event without a device.
    init(_ device: FleetEvent.Device?, of replica: Replica) {
        self.device = device
        row = device.flatMap { replica.row(of: $0.id) }
        self.replica = replica
    }

    /// Whether the device has that name or ID.
    func isNamed(_ name: Condition.DeviceName) -> Bool {
        guard let device else { return false }
        return device.id.description == name.text || device.name?.lowercased() == name.lowered
    }

    /// Whether the device is in that state; false if it has no row.
    func isAt(_ word: Condition.StateWord) -> Bool {
        guard let row else { return false }
        return switch word {
        case .on: row.reported.state.isOn
        case .off: !row.reported.state.isOn
        case .online, .offline, .stale, .unknown:
            replica.node(of: row).presence(of: row).kind.name == word.rawValue
        }
    }

    /// The value of a reading in tenths; nil if it was never measured.
    func tenths(of reading: Condition.Reading) -> Int? {
        guard let row else { return nil }
        let measurements = row.measured?.measurements
        return switch reading {
        case .temperature: measurements.map { Int($0.deciCelsius) }
        case .feelsLike: measurements.map { Int($0.feelsLikeDeciCelsius) }
        case .humidity: measurements.map { Int($0.humidityPermille) }
        case .target: Int((row.reported.state.targetCelsius * 10).rounded())
        }
    }
}

extension Condition {
    /// Whether the condition holds for a subject.
    ///
    /// - Parameter isElsewhere: Returns whether a device that the condition names is in a state; nil to check
    ///   only the subject.
    func holds(of subject: ConditionSubject, isElsewhere: ((DeviceName, StateWord) -> Bool)? = nil) -> Bool {
        switch self {
        case .text(let filter):
            return subject.device.map { filter.matches(name: $0.name, id: $0.id) } ?? false
        case .device(let name, let word):
            if let word, let isElsewhere { return isElsewhere(name, word) }
            return subject.isNamed(name) && (word.map(subject.isAt) ?? true)
        case .site(let name):
            guard let site = subject.row.flatMap(subject.replica.group)?.site.lowercased() else {
                return false
            }
            return GlobPattern.hasWildcard(name) ? GlobPattern(name).matches(site) : site == name
        case .node(let name): return subject.device?.node?.text == name
        case .model(let name): return subject.row.flatMap(subject.replica.group)?.model.rawValue == name
        case .state(let word): return subject.isAt(word)
        case .outcome(let name): return subject.outcome?.name == name
        case .reading(let reading, let comparison, let tenths):
            return subject.tenths(of: reading).map { comparison.holds($0, tenths) } ?? false
        case .not(let inner): return !inner.holds(of: subject, isElsewhere: isElsewhere)
        case .and(let left, let right):
            return left.holds(of: subject, isElsewhere: isElsewhere)
                && right.holds(of: subject, isElsewhere: isElsewhere)
        case .or(let left, let right):
            return left.holds(of: subject, isElsewhere: isElsewhere)
                || right.holds(of: subject, isElsewhere: isElsewhere)
        }
    }
}
