import FleetProtocol
import FleetTime

/// A node that goes through its scenario alone, from one thing that is due to the next: nobody waits for a
/// clock, and nobody hears it.
///
/// All of it follows from the configuration: two rehearsals of one are the same, event by event.
public struct Rehearsal: Sendable {
    private static let start = Moment(monotonic: .zero, wall: WallTime(unixMilliseconds: 0))

    /// The node, as it is by now.
    public private(set) var node: Node
    private let clock: Scenario.Clock
    private var effects: [Node.Effect] = []
    private var now = Self.start

    /// A rehearsal that is about to begin.
    public init(_ configuration: NodeConfiguration) {
        clock = configuration.scenario.clock
        node = Node(
            configuration, bootID: BootID(bits: 1), incarnations: SeededGenerator(seed: configuration.seed),
            at: Self.start)
    }

    /// Simulated milliseconds since the beginning.
    public var elapsedMs: Int64 {
        let nanoseconds = Self.start.monotonic.duration(to: now.monotonic).wholeNanoseconds
        return Int64((Double(nanoseconds) * clock.speed / 1e6).rounded())
    }

    /// Goes on until so much simulated time has passed since the beginning.
    ///
    /// - Parameter body: Is told what the node does: rows and measurements that it publishes, and that it
    ///   dies, which a node at a rehearsal survives.
    public mutating func run(
        untilMs end: Int64, _ body: (Rehearsal, Node.Effect) throws -> Void
    ) rethrows {
        let last = Self.start.advanced(by: .nanoseconds(Int64(Double(end) * 1e6 / clock.speed)))
        while let due = node.nextDue, due <= last.monotonic {
            now = Self.start.advanced(by: Self.start.monotonic.duration(to: max(due, now.monotonic)))
            effects.removeAll(keepingCapacity: true)
            node.step(.turn, at: now, into: &effects)
            let done = effects
            for effect in done {
                switch effect {
                case .publish, .measured, .crash: try body(self, effect)
                case .remember, .send, .readScenario: break
                }
            }
        }
        now = last
    }
}
