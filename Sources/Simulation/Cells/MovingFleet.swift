import ControllerCore
import DeviceCore
import FleetProtocol

/// An account that is moved between cells while its devices are toggled: its node, and the requests of its
/// user.
struct MovingFleet {
    /// A request with an ID, which may be sent many times and to several cells.
    struct Toggle {
        let id: RequestID
        let device: DeviceID
        /// The first final outcome; nil before.
        var outcome: Outcome?
    }

    let account: AccountID
    let email: Email
    let password: Password
    let token: TokenDigest
    /// The cell that the user believes to have the account.
    var cell = 0
    var toggles: [Toggle] = []
    /// The requests that await a reply, by correlation, with their toggle's place.
    var open: [UInt64: Int] = [:]
    /// The log-ins that await a reply, with the number of cells that each has asked.
    var logins: [UInt64: Int] = [:]
    private(set) var node: Node
    private let versionsAtFirst: UInt64
    /// The cell that the node is connected to, and the number of its connection.
    var nodeCell = 0
    var connection: UInt64 = 1
    var nextTurn: MonotonicTime?

    init?(using random: inout SeededGenerator, at now: Moment) {
        guard let account = AccountID("moving"), let email = Email("mover@example.org"),
            let password = Password("password of the mover"), let name = NodeName("node-1")
        else { return nil }
        (self.account, self.email, self.password) = (account, email, password)
        token = CellWorld.digest(2)
        let configuration = NodeConfiguration(
            name: name, account: account, devices: 2, firstIndex: 0, seed: 1, zones: SimulatedZones())
        node = Node(
            configuration, bootID: BootID(bits: random.next()),
            incarnations: SeededGenerator(seed: random.next()), at: now)
        versionsAtFirst = node.truth.reduce(0) { $0 + $1.reported.version.value }
    }

    /// The user, as the first cell has stored it.
    var user: ControllerConfiguration.User {
        ControllerConfiguration.User(
            session: Session(account: account, email: email, role: .owner, isOperator: true),
            passwordHash: CellWorld.hash(password))
    }

    var nodeConnection: ConnectionID { ConnectionID(high: 3, low: connection) }

    /// The number of changes that the devices have applied.
    var changes: UInt64 { node.truth.reduce(0) { $0 + $1.reported.version.value } - versionsAtFirst }

    mutating func step(_ input: Node.Input, at now: Moment) -> [Node.Effect] {
        var effects: [Node.Effect] = []
        node.step(input, at: now, into: &effects)
        return effects
    }

    mutating func newToggle(using random: inout SeededGenerator, at now: WallTime) -> Int {
        let device = node.truth[Int.random(in: 0..<node.truth.count, using: &random)].device
        toggles.append(Toggle(id: RequestID(at: now, using: &random), device: device))
        return toggles.count - 1
    }
}
