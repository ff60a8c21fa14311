public import FleetProtocol

/// The values that a ``Condition`` is evaluated on: those of a device, and the outcome of a request that has
/// just ended. The values are nil if the subject is not a device, or if they are not known.
public protocol ConditionSubject {
    var subjectID: DeviceID? { get }
    var subjectName: String? { get }
    var nodeName: NodeName? { get }
    var subjectGroup: DeviceGroup? { get }
    /// The name of its site, by default that of its group.
    var subjectSite: String? { get }
    var acState: ACState? { get }
    var presenceKind: Presence.Kind? { get }
    var measurements: Measurements? { get }
    /// The outcome of a request for it that has just ended.
    var outcome: Outcome? { get }
}

extension ConditionSubject {
    public var subjectSite: String? { subjectGroup?.site }

    package func isNamed(_ name: Condition.DeviceName) -> Bool {
        subjectID.map { $0.description == name.text } ?? false
            || subjectName.map { SafeText.folded($0) == name.folded } ?? false
    }

    /// Whether the device is in that state; false if its state is not known.
    package func isAt(_ word: Condition.StateWord) -> Bool {
        switch word {
        case .on: acState?.isOn == true
        case .off: acState?.isOn == false
        case .online, .offline, .stale, .unknown: presenceKind?.name == word.rawValue
        }
    }

    /// The value of a reading in tenths; nil if it was never measured.
    fileprivate func tenths(of reading: Condition.Reading) -> Int? {
        switch reading {
        case .temperature: measurements.map { Int($0.deciCelsius) }
        case .feelsLike: measurements.map { Int($0.feelsLikeDeciCelsius) }
        case .humidity: measurements.map { Int($0.humidityPermille) }
        case .target: acState.map { Int(($0.targetCelsius * 10).rounded()) }
        }
    }
}

extension Condition {
    /// Whether the condition holds for a subject. Without `isElsewhere`, the states of other devices that the
    /// condition names do not count.
    public func holds(
        of subject: some ConditionSubject, isElsewhere: ((DeviceName, StateWord) -> Bool)? = nil
    ) -> Bool {
        switch self {
        case .text(let filter):
            return subject.subjectID.map { filter.matches(name: subject.subjectName, id: $0) } ?? false
        case .device(let name, let word):
            if let word, let isElsewhere { return isElsewhere(name, word) }
            return subject.isNamed(name) && (word.map(subject.isAt) ?? true)
        case .site(let name):
            guard let site = subject.subjectSite?.lowercased() else { return false }
            return GlobPattern.hasWildcard(name) ? GlobPattern(name).matches(site) : site == name
        case .node(let name): return subject.nodeName?.text == name
        case .model(let name): return subject.subjectGroup?.model.rawValue == name
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
