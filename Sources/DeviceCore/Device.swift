import FleetProtocol

/// A simulated device with the memory that makes a command happen at most once. After dispatch only the
/// device decides: messages may be lost, duplicated or delayed, but the answer to one command number of one
/// request never changes within an incarnation.
struct Device: Sendable {
    private(set) var memory: DeviceMemory
    var connectivity = Connectivity.established
    /// The number of the change that last wrote its row.
    var number: ChangeNumber

    /// A verdict, and its changes to the device's memory.
    struct Decision {
        let judgement: Judgement
        let isFresh: Bool
        /// Whether the device received a higher epoch just now.
        let didRaiseEpoch: Bool
    }

    /// Judges a command that the device has had for some time.
    mutating func judge(
        _ command: DeviceCommand, epoch: Epoch, age: Duration, capabilities: Capabilities
    ) -> Decision {
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

    /// Judges a command that changes settings, with a decision that applies if it is the command's turn.
    mutating func judge(
        _ command: DeviceCommand, epoch: Epoch, age: Duration, deciding decision: SettingDecision
    ) -> Decision {
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

    /// Returns whether a command has not used its number yet, and still can.
    func isNew(_ identity: CommandIdentity) -> Bool {
        identity.incarnation == memory.incarnation && identity.commandNumber > memory.lastCommandNumber
    }

    /// Applies a change of a timer, a schedule or Climate React; the version increases in any case.
    mutating func act(to wanted: ACState, by cause: ChangeCause) { set(to: wanted, by: cause) }

    /// Aborts a command: if it arrives later, it is answered `aborted`.
    mutating func abort(_ identity: CommandIdentity, epoch: Epoch) -> Decision {
        answerKnown(to: identity, epoch: epoch) ?? use(identity, .aborted)
    }

    /// Changes the device without a command; returns whether the state, and so the version, has changed.
    mutating func change(to wanted: ACState, by cause: ChangeCause) -> Bool {
        guard wanted != memory.state else { return false }
        set(to: wanted, by: cause)
        return true
    }

    mutating func reset(to built: ACState, incarnation: Incarnation) {
        memory = DeviceMemory(newborn: built, incarnation: incarnation)
    }

    /// Returns the answer that depends only on the identity and the epoch of a command; nil if it is new.
    private mutating func answerKnown(to identity: CommandIdentity, epoch askedEpoch: Epoch) -> Decision? {
        guard identity.incarnation == memory.incarnation else { return refuse(.staleIncarnation) }
        guard askedEpoch >= memory.epoch else { return refuse(.staleEpoch) }
        let isHigher = askedEpoch > memory.epoch
        memory.epoch = askedEpoch
        if identity.commandNumber > memory.lastCommandNumber { return nil }
        guard identity.commandNumber == memory.lastCommandNumber else {
            return refuse(.staleCommandNumber, didRaiseEpoch: isHigher)
        }
        guard identity.requestID == memory.lastRequest else {
            return refuse(.commandNumberTaken, didRaiseEpoch: isHigher)
        }
        return Decision(judgement: memory.lastJudgement, isFresh: false, didRaiseEpoch: isHigher)
    }

    private func refuse(_ verdict: Verdict, didRaiseEpoch: Bool = false) -> Decision {
        Decision(judgement: judgement(verdict), isFresh: false, didRaiseEpoch: didRaiseEpoch)
    }

    private mutating func use(_ identity: CommandIdentity, _ verdict: Verdict) -> Decision {
        memory.lastCommandNumber = identity.commandNumber
        memory.lastRequest = identity.requestID
        let judgement = judgement(verdict)
        memory.lastJudgement = judgement
        return Decision(judgement: judgement, isFresh: true, didRaiseEpoch: false)
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
    /// The state of a new device with an air conditioner: off, cooling to 22 °C.
    static let asBuilt = ACState(isOn: false, mode: .cool, targetTemperature: 22, fanLevel: .auto)

    /// The state of a new device of a group: off, with the values of ``asBuilt`` for unused settings.
    static func asBuilt(_ group: Scenario.Group) -> ACState {
        var state = ACState.asBuilt
        if !group.model.switchesAirConditioner {
            (state.mode, state.fanLevel) = (.fan, group.model == .pure ? .low : .high)
        }
        let unit = group.capabilities.nativeUnit
        state.targetTemperature = unit.degrees(from: state.targetTemperature, in: state.temperatureUnit)
        state.temperatureUnit = unit
        return state
    }
}

enum Connectivity: UInt8, CaseIterable, Hashable, Sendable {
    case connecting
    case established
    case error

    /// Returns a random next state, which is one of the two others.
    func next(using generator: inout some RandomNumberGenerator) -> Connectivity {
        let others = Self.allCases.filter { $0 != self }
        return others[Int.random(in: others.indices, using: &generator)]
    }
}
