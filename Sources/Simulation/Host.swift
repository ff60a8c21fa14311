import ControllerCore
import DeviceCore
import FleetProtocol
import FleetTime

/// The process that a node runs in, and its cables.
struct Host {
    /// Devices of each host.
    static let devices = 2

    let configuration: NodeConfiguration
    /// Nil while the process is dead; a node is large, and so what is often asked for is noted beside it.
    private(set) var node: Node?
    /// Whether the process lives.
    private(set) var isAlive = false
    private(set) var bootID: BootID?
    /// When the node wants its next turn; nil while it wants none.
    private(set) var due: MonotonicTime?
    /// How often the process has started.
    var boots = 0
    var connection: ConnectionID
    /// The life of the controller that its connection leads to; nil while it has none.
    var life: Int?
    /// The file of its devices' memory, which outlives the process.
    var file = MemoryWriter.header
    /// A copy that somebody made of that file; nil: nobody did.
    var copy: [UInt8]?
    /// It dies while it writes the next batch to that file, and starts again then; nil: it does not.
    var diesWritingUntil: MonotonicTime?
    /// It neither hears nor speaks until then, and nothing is lost by that.
    var frozenUntil = MonotonicTime.zero
    var cable = Cable()
    /// When its next turn is set for.
    var wakesAt = MonotonicTime.never

    init(configuration: NodeConfiguration, connection: ConnectionID) {
        (self.configuration, self.connection) = (configuration, connection)
    }

    /// The process starts.
    mutating func begin(_ node: Node) {
        (isAlive, bootID, due) = (true, node.bootID, node.nextDue)
        self.node = node
        boots += 1
        life = nil
        (frozenUntil, wakesAt, diesWritingUntil) = (.zero, .never, nil)
    }

    /// The process is dead.
    mutating func die() {
        (node, isAlive, bootID, due) = (nil, false, nil, nil)
    }

    /// Has the node take an input; a dead one takes none.
    mutating func step(_ input: Node.Input, at now: Moment, into effects: inout [Node.Effect]) {
        due = node?.stepInPlace(input, at: now, into: &effects) ?? nil
    }

    /// A device as it is; nil while the process is dead.
    mutating func row(of slot: Int) -> DeviceRow? { node?.rowInPlace(of: slot) }
}

/// Asked where it stands, for it says that it changes: otherwise a node in an optional is copied.
extension Node {
    fileprivate mutating func stepInPlace(
        _ input: Input, at now: Moment, into effects: inout [Effect]
    ) -> MonotonicTime? {
        step(input, at: now, into: &effects)
        return nextDue
    }

    fileprivate mutating func rowInPlace(of slot: Int) -> DeviceRow { row(of: slot) }
}
