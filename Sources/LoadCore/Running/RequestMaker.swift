import FleetProtocol

/// Makes the requests of a load: their devices, IDs and follow-ups.
struct RequestMaker: Sendable {
    /// The longest delay of a follow-up.
    static let followUpWithin: Duration = .milliseconds(1)

    private let connections: Int
    private let timeout: Duration
    private let isRepeating: Bool
    private let cancelRatio: Double
    private let retryRatio: Double
    private let kinds: LoadMix?
    private var round: DeviceRound
    /// The random stream of the follow-ups and their delays.
    private var mix: SeededGenerator
    /// The random stream of request IDs, which differ in every run.
    private var ids: SeededGenerator
    private var lastNumber: UInt64 = 0

    /// A maker that begins; requests without a reply are sent again or not.
    init(_ plan: LoadPlan, devices: [DeviceID], idSeed: UInt64, isRepeating: Bool) {
        (connections, timeout, self.isRepeating) = (plan.connections, plan.timeout, isRepeating)
        (cancelRatio, retryRatio, kinds) = (plan.cancelRatio, plan.retryRatio, plan.mix)
        round = DeviceRound(devices, seed: plan.seed)
        mix = SeededGenerator.derived(seed: plan.seed, purpose: 3)
        ids = SeededGenerator.derived(seed: idSeed, purpose: 4)
    }

    /// Makes the next request, whose command is sent now, with its number from 1.
    mutating func make(
        dueAt intended: MonotonicTime, isMeasured: Bool, at now: Moment
    ) -> (number: UInt64, request: Outstanding) {
        lastNumber += 1
        let content: LoadMessage.Content
        let (fate, followUpDelay): (Outstanding.Fate, Duration)
        if let kinds {
            (content, fate, followUpDelay) = draw(from: kinds)
        } else {
            content = .toggle
            (fate, followUpDelay) = drawFate()
        }
        var sending = Transmission(isRepeating ? content.retry : .never, at: now.monotonic)
        _ = sending.consumeDue(at: now.monotonic)
        let request = Outstanding(
            requestID: RequestID(at: now.wall, using: &ids), device: round.next(), content: content,
            connection: Int(lastNumber % UInt64(connections)), intended: intended,
            deadline: now.monotonic.advanced(by: timeout), isMeasured: isMeasured, fate: fate,
            followUpDelay: followUpDelay, sending: sending)
        return (lastNumber, request)
    }

    /// Draws the kind of the next request, the state to set and the delay of a cancel from the seed alone.
    private mutating func draw(
        from kinds: LoadMix
    ) -> (LoadMessage.Content, Outstanding.Fate, Duration) {
        let kind = kinds.kind(at: Double.random(in: 0..<1, using: &mix))
        let isOn = Bool.random(using: &mix)
        let delay = Duration.nanoseconds(
            Int64.random(in: 0...Self.followUpWithin.wholeNanoseconds, using: &mix))
        return switch kind {
        case .toggle: (.toggle, .plain, .zero)
        case .set: (.set(isOn: isOn), .plain, .zero)
        case .read: (.read, .plain, .zero)
        case .cancel: (.toggle, .cancelled, delay)
        }
    }

    /// Draws the follow-up of the next request and its delay; both depend on the seed alone.
    private mutating func drawFate() -> (Outstanding.Fate, Duration) {
        guard cancelRatio + retryRatio > 0 else { return (.plain, .zero) }
        let draw = Double.random(in: 0..<1, using: &mix)
        let delay = Int64.random(in: 0...Self.followUpWithin.wholeNanoseconds, using: &mix)
        if draw < cancelRatio { return (.cancelled, .nanoseconds(delay)) }
        return (draw < cancelRatio + retryRatio ? .retried : .plain, .nanoseconds(delay))
    }
}
