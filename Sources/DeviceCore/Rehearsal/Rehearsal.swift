import FleetProtocol

/// A node that runs its scenario alone, from one due event to the next, without waiting and without a
/// controller. The result depends only on the configuration: two rehearsals of the same one are equal, event
/// by event.
public struct Rehearsal: Sendable {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 0))

    /// The node in its current state.
    public private(set) var node: Node
    private let clock: Scenario.Clock
    private var effects: [Node.Effect] = []
    private var now = Self.start

    public init(_ configuration: NodeConfiguration) {
        clock = configuration.scenario.clock
        node = Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: configuration.seed),
            at: Self.start)
    }

    /// Simulated milliseconds since the start.
    public var elapsedMs: Int64 {
        let nanoseconds = Self.start.monotonic.duration(to: now.monotonic).wholeNanoseconds
        return Int64((Double(nanoseconds) * clock.speed / 1e6).rounded())
    }

    /// Runs until a simulated time since the start. The body receives the effects of the node: published rows
    /// and measurements, and crashes, which a node in a rehearsal survives.
    public mutating func run(untilMs end: Int64, _ body: (Rehearsal, Node.Effect) throws -> Void) rethrows {
        let last = Self.start.advanced(by: .nanoseconds(Int64(Double(end) * 1e6 / clock.speed)))
        while let due = node.nextDue, due <= last.monotonic {
            now = Self.start.advanced(by: Self.start.monotonic.duration(to: max(due, now.monotonic)))
            effects.removeAll(keepingCapacity: true)
            node.step(.turn, at: now, into: &effects)
            let done = effects
            for effect in done {
                switch effect {
                case .publish, .measured, .crash: try body(self, effect)
                case .remember, .send, .readScenario, .connect, .refused: break
                }
            }
        }
        now = last
    }
}
