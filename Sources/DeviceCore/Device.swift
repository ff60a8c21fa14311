import FleetProtocol

/// One simulated air conditioner with the memory that makes a command happen at most once.
///
/// It is the only judge after dispatch: whatever is lost, doubled or late on the way, the answer to
/// one sequence of one request never changes within an incarnation.
struct Device: Sendable {
    /// What it is set to.
    private(set) var state: ACState
    /// Whether it has a connection, and if not, what it is trying.
    var connectivity = Connectivity.established
    /// How often its state has really changed.
    private(set) var version = Version(1)
    /// This life of its memory.
    let incarnation: Incarnation
    /// The highest controller's epoch it has seen.
    private(set) var epoch = Epoch.zero
    /// The number of the change that last wrote its row.
    var number: ChangeNumber
    /// The last sequence used up, by whom, and the answer.
    private(set) var lastSequence = CommandSequence.zero
    private var lastRequest = RequestID(high: 0, low: 0)
    private var lastJudgement = Judgement(verdict: .aborted, state: .asBuilt, version: .zero)

    /// A device as it leaves the factory.
    init(state: ACState, incarnation: Incarnation, number: ChangeNumber) {
        self.state = state
        self.incarnation = incarnation
        self.number = number
    }

    /// What the device decided, and the state that it decided on.
    struct Judgement: Hashable, Sendable {
        let verdict: Verdict
        let state: ACState
        let version: Version
    }

    /// A judgement, and whether it used up its sequence just now.
    struct Answer {
        let judgement: Judgement
        let isFresh: Bool
    }

    /// Judges a command that the device has had for some time.
    mutating func judge(
        _ command: DeviceCommand, epoch: Epoch, age: Duration, capabilities: Capabilities
    ) -> Answer {
        if let known = answerKnown(to: command.identity, epoch: epoch) { return known }
        if age >= command.timeToLive { return use(command.identity, .expired) }
        if let base = command.base, base != version { return use(command.identity, .conflict) }
        if let objection = capabilities.objection(to: command.change, of: state) {
            return use(command.identity, .rejected(objection))
        }
        let wanted = state.applying(command.change)
        if wanted == state { return use(command.identity, .unchanged) }
        change(to: wanted)
        return use(command.identity, .applied)
    }

    /// Takes a command back: if it comes later, it is answered `aborted`.
    mutating func abort(_ identity: CommandIdentity, epoch: Epoch) -> Answer {
        answerKnown(to: identity, epoch: epoch) ?? use(identity, .aborted)
    }

    /// A hand remote switches the device: nobody asked, and the version counts it all the same.
    mutating func flip() {
        var flipped = state
        flipped.isOn.toggle()
        change(to: flipped)
    }

    /// The answer that does not depend on what is asked, but only on who asks and when.
    private mutating func answerKnown(to identity: CommandIdentity, epoch askedEpoch: Epoch) -> Answer? {
        guard identity.incarnation == incarnation else { return refuse(.staleIncarnation) }
        guard askedEpoch >= epoch else { return refuse(.staleEpoch) }
        epoch = askedEpoch
        if identity.sequence > lastSequence { return nil }
        guard identity.sequence == lastSequence else { return refuse(.staleSequence) }
        guard identity.requestID == lastRequest else { return refuse(.sequenceTaken) }
        return Answer(judgement: lastJudgement, isFresh: false)
    }

    private func refuse(_ verdict: Verdict) -> Answer {
        Answer(judgement: Judgement(verdict: verdict, state: state, version: version), isFresh: false)
    }

    private mutating func use(_ identity: CommandIdentity, _ verdict: Verdict) -> Answer {
        lastSequence = identity.sequence
        lastRequest = identity.requestID
        lastJudgement = Judgement(verdict: verdict, state: state, version: version)
        return Answer(judgement: lastJudgement, isFresh: true)
    }

    private mutating func change(to wanted: ACState) {
        state = wanted
        version = version.next
    }
}

extension ACState {
    /// How every simulated device is set when it is new: off, cooling to 22 °C.
    static let asBuilt = ACState(isOn: false, mode: .cool, targetCelsius: 22, fanLevel: .auto)
}
