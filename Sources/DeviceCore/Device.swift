import FleetProtocol

/// One simulated air conditioner with the memory that makes a command happen at most once.
///
/// It is the only judge after dispatch: whatever is lost, doubled or late on the way, the answer to
/// one sequence of one request never changes within an incarnation.
struct Device: Sendable {
    /// What it must not forget.
    private(set) var memory: DeviceMemory
    /// Whether it has a connection, and if not, what it is trying.
    var connectivity = Connectivity.established
    /// The number of the change that last wrote its row.
    var number: ChangeNumber

    /// A device that remembers what it did before.
    init(memory: DeviceMemory, number: ChangeNumber) {
        self.memory = memory
        self.number = number
    }

    /// A judgement, and what is new in the device's memory by it.
    struct Answer {
        let judgement: Judgement
        /// Whether it used up its sequence just now.
        let isFresh: Bool
        /// Whether the device heard of its epoch just now.
        let didRaiseEpoch: Bool
    }

    /// Judges a command that the device has had for some time.
    mutating func judge(
        _ command: DeviceCommand, epoch: Epoch, age: Duration, capabilities: Capabilities
    ) -> Answer {
        if let known = answerKnown(to: command.identity, epoch: epoch) { return known }
        if age >= command.timeToLive { return use(command.identity, .expired) }
        if let base = command.base, base != memory.version { return use(command.identity, .conflict) }
        if let objection = capabilities.objection(to: command.change, of: memory.state) {
            return use(command.identity, .rejected(objection))
        }
        let wanted = memory.state.applying(command.change)
        if wanted == memory.state { return use(command.identity, .unchanged) }
        set(to: wanted, by: command.isCorrection ? .correction : .request)
        return use(command.identity, .applied)
    }

    /// Judges a command that changes settings, by a decision that counts if it is the command's turn.
    mutating func judge(
        _ command: DeviceCommand, epoch: Epoch, age: Duration, deciding decision: SettingDecision
    ) -> Answer {
        if let known = answerKnown(to: command.identity, epoch: epoch) { return known }
        if age >= command.timeToLive { return use(command.identity, .expired) }
        if let base = command.base, base != memory.version { return use(command.identity, .conflict) }
        switch decision {
        case .rejected(let objection): return use(command.identity, .rejected(objection))
        case .unchanged: return use(command.identity, .unchanged)
        case .changed:
            set(to: memory.state, by: .request)
            return use(command.identity, .applied)
        }
    }

    /// Whether a command has not used its sequence yet, and can.
    func isNew(_ identity: CommandIdentity) -> Bool {
        identity.incarnation == memory.incarnation && identity.sequence > memory.lastSequence
    }

    /// Does what it was set to do by itself: the version counts it, whatever state it was at.
    mutating func act(to wanted: ACState, by cause: ChangeCause) {
        set(to: wanted, by: cause)
    }

    /// Takes a command back: if it comes later, it is answered `aborted`.
    mutating func abort(_ identity: CommandIdentity, epoch: Epoch) -> Answer {
        answerKnown(to: identity, epoch: epoch) ?? use(identity, .aborted)
    }

    /// Somebody sets the device without a command: the version counts it all the same.
    ///
    /// - Returns: Whether it was at another state.
    mutating func change(to wanted: ACState, by cause: ChangeCause) -> Bool {
        guard wanted != memory.state else { return false }
        set(to: wanted, by: cause)
        return true
    }

    /// The device forgets everything, and is as it left the factory.
    mutating func reset(to built: ACState, incarnation: Incarnation) {
        memory = DeviceMemory(newborn: built, incarnation: incarnation)
    }

    /// The answer that does not depend on what is asked, but only on who asks and when.
    private mutating func answerKnown(to identity: CommandIdentity, epoch askedEpoch: Epoch) -> Answer? {
        guard identity.incarnation == memory.incarnation else { return refuse(.staleIncarnation) }
        guard askedEpoch >= memory.epoch else { return refuse(.staleEpoch) }
        let isHigher = askedEpoch > memory.epoch
        memory.epoch = askedEpoch
        if identity.sequence > memory.lastSequence { return nil }
        guard identity.sequence == memory.lastSequence else {
            return refuse(.staleSequence, didRaiseEpoch: isHigher)
        }
        guard identity.requestID == memory.lastRequest else {
            return refuse(.sequenceTaken, didRaiseEpoch: isHigher)
        }
        return Answer(judgement: memory.lastJudgement, isFresh: false, didRaiseEpoch: isHigher)
    }

    private func refuse(_ verdict: Verdict, didRaiseEpoch: Bool = false) -> Answer {
        Answer(judgement: judgement(verdict), isFresh: false, didRaiseEpoch: didRaiseEpoch)
    }

    private mutating func use(_ identity: CommandIdentity, _ verdict: Verdict) -> Answer {
        memory.lastSequence = identity.sequence
        memory.lastRequest = identity.requestID
        let judgement = judgement(verdict)
        memory.lastJudgement = judgement
        return Answer(judgement: judgement, isFresh: true, didRaiseEpoch: false)
    }

    private func judgement(_ verdict: Verdict) -> Judgement {
        Judgement(verdict: verdict, version: memory.version, state: memory.state)
    }

    private mutating func set(to wanted: ACState, by cause: ChangeCause) {
        memory.state = wanted
        memory.cause = cause
        memory.version = memory.version.next
    }
}

extension ACState {
    /// How a device with an air conditioner is set when it is new: off, cooling to 22 °C.
    static let asBuilt = ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto)

    /// How a device of a group is set when it is new; off, and what it has no use for as ``asBuilt``.
    static func asBuilt(_ group: Scenario.Group) -> ACState {
        var state = ACState.asBuilt
        if group.model == .pure { (state.mode, state.fanLevel) = (.fan, .low) }
        let unit = group.capabilities.nativeUnit
        state.targetTemperature = unit.degrees(from: state.targetTemperature, in: state.temperatureUnit)
        state.temperatureUnit = unit
        return state
    }
}

/// What a device's Wi-Fi is doing.
public enum Connectivity: UInt8, CaseIterable, Hashable, Sendable {
    /// It is looking for its network.
    case connecting
    /// It can be reached.
    case established
    /// It was thrown out, or found nothing.
    case error

    /// What follows: one of the two other states, never the same again.
    public func next(using generator: inout some RandomNumberGenerator) -> Connectivity {
        let others = Self.allCases.filter { $0 != self }
        return others[Int.random(in: others.indices, using: &generator)]
    }
}
