import ControllerCore
import FleetProtocol

struct SimulatedCell {
    let name: CellName
    /// The running controller; nil after a crash.
    var controller: Controller?
    /// The cells that its list names; others are added while the simulation runs.
    var list: [CellName]
    var nextTurn: MonotonicTime?
    /// The number of starts, which tells results of an earlier run apart.
    private(set) var epoch: UInt64 = 1
    private(set) var users: [Email: ControllerConfiguration.User] = [:]
    private var sessions: [TokenDigest: ControllerConfiguration.OpenSession] = [:]
    private var nodes: [NodeDevices] = []
    private var journal: [JournalEntry] = []
    private var moves = StoredMoves()

    /// What a cell has stored of an account, but for its requests.
    struct Content {
        let users: [ControllerConfiguration.User]
        let sessions: [ControllerConfiguration.OpenSession]
        let nodes: [NodeDevices]
    }

    init(_ name: CellName, knowing list: [CellName]) { (self.name, self.list) = (name, list) }

    /// Whether the cell is committed to move an account away, and does not use it any more.
    func gives(_ account: AccountID) -> Bool { moves.committed?.account == account }

    /// Stores a user with a session before the first start.
    mutating func give(_ user: ControllerConfiguration.User, session: TokenDigest, at now: WallTime) {
        users[user.session.email] = user
        sessions[session] = ControllerConfiguration.OpenSession(
            digest: session, email: user.session.email, openedAt: now)
    }

    /// Starts the controller from what is stored, under the next epoch.
    mutating func start(with planted: Planting, seed: UInt64, digest: TokenDigest, at now: Moment) {
        epoch += 1
        var configuration = ControllerConfiguration(
            epoch: Epoch(epoch), users: users.values.sorted { $0.session.email < $1.session.email },
            sessions: sessions.values.sorted { $0.digest.bytes.lexicographicallyPrecedes($1.digest.bytes) },
            seed: seed)
        configuration.planted = planted
        configuration.selfService = SelfService(signsUp: true, resetsPasswords: false)
        var cell = CellConfiguration(
            own: name, others: list.filter { $0 != name }, digest: digest, hash: Self.hash, pageChanges: 3)
        cell.moves = moves
        configuration.cells = cell
        var replay = JournalReplay()
        for entry in journal { replay.apply(entry) }
        controller = Controller(configuration, recovering: replay, awaiting: nodes, at: now)
    }

    mutating func store(_ change: StorageChange, with contents: inout [Content]) {
        switch change {
        case .request(let entry): journal.append(entry)
        case .access(let entry): store(entry)
        case .directory(.added(let list)), .directory(.listed(let list)):
            if case .directory(.listed) = change {
                nodes.removeAll { $0.account == list.account && $0.node == list.node }
            }
            if !list.devices.isEmpty { nodes.append(list) }
        case .move(let entry): store(entry, contents)
        default: break
        }
    }

    private mutating func store(_ entry: AccessEntry) {
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

    private mutating func store(_ entry: MoveEntry, _ contents: [Content]) {
        switch entry {
        case .committed(let move): moves.committed = move
        case .withdrawn: moves.committed = nil
        case .departed(let move, let tokens, let epoch):
            let content = content(of: move.account)
            for user in content.users { users[user.session.email] = nil }
            for session in content.sessions { sessions[session.digest] = nil }
            nodes.removeAll { $0.account == move.account }
            moves.committed = nil
            moves.departed[move.account] = CellDirectoryPage.Successor(cell: move.target, epoch: epoch)
            for token in tokens { moves.tokens[token] = move.target }
        case .taken(let move, let rows):
            guard let content = Self.content(rows, among: contents) else { return }
            for user in content.users { users[user.session.email] = user }
            for session in content.sessions {
                sessions[session.digest] = session
                moves.tokens[session.digest] = nil
            }
            nodes += content.nodes
            moves.departed[move.account] = nil
            moves.taken.insert(move)
            epoch = max(epoch, move.epoch.value)
        }
    }

    /// The stored content of an account, but for its requests.
    func content(of account: AccountID) -> Content {
        let members = users.values.filter { $0.session.account == account }
        let emails = Set(members.map(\.session.email))
        return Content(
            users: members.sorted { $0.session.email < $1.session.email },
            sessions: sessions.values.filter { emails.contains($0.email) }
                .sorted { $0.digest.bytes.lexicographicallyPrecedes($1.digest.bytes) },
            nodes: nodes.filter { $0.account == account })
    }

    static func content(_ rows: [UInt8], among contents: [Content]) -> Content? {
        guard rows.count == 2 else { return nil }
        let place = Int(rows[0]) | Int(rows[1]) << 8
        return contents.indices.contains(place) ? contents[place] : nil
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
    /// When a controller last received a request to remove the user, or took over the user's account.
    private var leftAt: MonotonicTime?

    init(email: Email, password: Password) { (self.email, self.password) = (email, password) }

    /// The user is removed or moved, or may be: the home is not known until a cell confirms the user again.
    mutating func leave(at now: MonotonicTime) { (home, token, leftAt) = (nil, nil, now) }

    /// A cell confirms the user; a reply to a call from before the user left may be older than that.
    mutating func settle(in cell: CellName, by call: CellCall, at now: MonotonicTime) {
        guard home == nil, leftAt.map({ $0 < call.begunAt }) ?? true else { return }
        home = (cell, now)
    }
}
