import FleetProtocol
import FleetReplica
import UserText

/// What a condition is looked up in: a device as it is, and what has just become of a request for it.
struct ConditionSubject {
    /// The device by its names; nil where an event concerns none.
    let device: FleetEvent.Device?
    /// Its row; nil for a device that is not there, or not any more.
    let row: ReplicaRow?
    /// How a request for it has just ended; nil where nothing ended.
    var outcome: Outcome?
    let replica: Replica

    /// A device that is there.
    init(_ row: ReplicaRow, of replica: Replica) {
        device = replica.named(row)
        (self.row, self.replica) = (row, replica)
    }

    /// A device as an event names it, or none.
    init(_ device: FleetEvent.Device?, of replica: Replica) {
        self.device = device
        row = device.flatMap { replica.row(of: $0.id) }
        self.replica = replica
    }

    /// Whether it is a device of that name or id.
    func isNamed(_ name: Condition.DeviceName) -> Bool {
        guard let device else { return false }
        return device.id.description == name.text || device.name?.lowercased() == name.lowered
    }

    /// Whether the device is that.
    func isAt(_ word: Condition.StateWord) -> Bool {
        guard let row else { return false }
        return switch word {
        case .on: row.reported.state.isOn
        case .off: !row.reported.state.isOn
        case .online, .offline, .stale, .unknown:
            replica.node(of: row).presence(of: row).kind.name == word.rawValue
        }
    }

    /// A number that the device is at, in tenths; nil where nobody has measured it.
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
    /// Whether it holds of a subject.
    ///
    /// - Parameter isElsewhere: Asked of a device that the condition names with what it is; where nil, that
    ///   is the subject or nobody.
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
