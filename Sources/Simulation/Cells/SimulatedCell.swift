import ControllerCore
import FleetProtocol
import FleetTime
import PlantedBugs

/// A cell: a controller without nodes, and what it has stored.
struct SimulatedCell {
    let name: CellName
    /// The running controller; nil after a crash.
    var controller: Controller?
    /// The cells that its list names; others are added while the simulation runs.
    var list: [CellName]
    /// The time of the next scheduled turn; nil without one.
    var nextTurn: MonotonicTime?
    /// The number of starts, which tells results of an earlier run apart.
    private(set) var epoch: UInt64 = 1
    private(set) var users: [Email: ControllerConfiguration.User] = [:]
    private var sessions: [TokenDigest: ControllerConfiguration.OpenSession] = [:]

    init(_ name: CellName, knowing list: [CellName]) { (self.name, self.list) = (name, list) }

    /// Starts the controller from what is stored, under the next epoch.
    mutating func start(
        with planted: Planting, seed: UInt64, digest: TokenDigest, at now: Moment
    ) {
        epoch += 1
        var configuration = ControllerConfiguration(
            epoch: Epoch(epoch), users: users.values.sorted { $0.session.email < $1.session.email },
            sessions: sessions.values.sorted { $0.digest.bytes.lexicographicallyPrecedes($1.digest.bytes) },
            seed: seed)
        configuration.planted = planted
        configuration.selfService = SelfService(signsUp: true, resetsPasswords: false)
        configuration.cells = CellConfiguration(
            own: name, others: list.filter { $0 != name }, digest: digest, hash: Self.hash, pageChanges: 3)
        controller = Controller(configuration, at: now)
    }

    /// Stores a change of users and sessions.
    mutating func store(_ change: StorageChange) {
        guard case .access(let entry) = change else { return }
        switch entry {
        case .userAdded(let user): users[user.session.email] = user
        case .userRemoved(let email): users[email] = nil
        case .sessionOpened(let digest, let email, let openedAt):
            sessions[digest] = ControllerConfiguration.OpenSession(
                digest: digest, email: email, openedAt: openedAt)
        case .sessionsClosed(let digests): for digest in digests { sessions[digest] = nil }
        default: break
        }
    }

    /// Two mixed words of the bytes: the same on every machine.
    private static let hash: @Sendable ([UInt8]) -> CellHash = { bytes in
        let words = [UInt64(1), 2].map { start in
            bytes.reduce(SeededGenerator.mixed(start)) { SeededGenerator.mixed($0 ^ UInt64($1)) }
        }
        return CellHash(high: words[0], low: words[1])
    }
}

/// A user of the simulation, who signs up or is added, and then logs in.
struct SimulatedPerson {
    let email: Email
    let password: Password
    /// The cell that has confirmed the user, and since when; nil before, and while the user is removed.
    var home: (cell: CellName, since: MonotonicTime)?
    /// The token of the last log-in, in the person's cell.
    var token: TokenDigest?
}
