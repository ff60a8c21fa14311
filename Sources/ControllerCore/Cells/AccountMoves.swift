public import FleetProtocol

/// A change of a move, which the store keeps.
public enum MoveEntry: Sendable, Equatable {
    /// The target may take the account from now on: this cell may use it again only if the target refuses.
    case committed(AccountMove)
    /// The target has refused: the account stays here.
    case withdrawn(AccountMove)
    /// The account is in the target, and everything of it is removed here. With the digests of its sessions
    /// and keys, and the epoch from which on the target's directory has it.
    case departed(AccountMove, tokens: [TokenDigest], epoch: Epoch)
    /// The account is here, with these rows of the source's store. The next epoch exceeds the source's.
    case taken(AccountMove, rows: [UInt8])
}

/// What earlier runs have stored of moves.
public struct StoredMoves: Sendable {
    /// The move that this cell was committed to when it stopped; nil without one.
    public var committed: AccountMove?
    /// The cells of accounts that were moved away, with the epochs from which on their directories have them.
    public var departed: [AccountID: CellDirectoryPage.Successor] = [:]
    /// The cells of the sessions and keys of these accounts.
    public var tokens: [TokenDigest: CellName] = [:]
    /// The moves that brought accounts here.
    public var taken: Set<AccountMove> = []

    public init() {}
}

/// Work that a move leaves to the shell.
public enum MoveWork: Sendable {
    /// Reads the rows of an account that is moved away.
    case read(AccountMove)
    /// Checks that the rows of an account can be added to the store.
    case check(AccountMove, rows: [UInt8])
}

/// The moves of accounts between this cell and the others: at most one away from here and one to here at a
/// time.
///
/// The source offers the account, and the target copies it: the history while the account is still in use,
/// then the rest while it is frozen. Until the source has stored that it is committed it may give up at any
/// time. From then on only the target's answer decides, so that no account is ever used in two cells.
struct AccountMoves: Sendable {
    typealias Effects = Controller.Effects

    /// The longest time in which open requests of a frozen account may end.
    static let drainsAtMost: Duration = .milliseconds(1_500)
    /// The longest time in which these end and the rest is copied.
    static let frozenAtMost: Duration = drainsAtMost + .seconds(5)
    /// The time without a sign of the other cell after which a move that is not committed ends.
    static let silenceAtMost: Duration = .seconds(5)
    /// The most bytes of an account's content; the target refuses more.
    static let bytesAtMost = 256 << 20
    /// The time between two equal messages.
    static let interval: Duration = .milliseconds(100)
    /// The time between two looks at what is awaited.
    static let look: Duration = .milliseconds(10)

    let own: CellName
    let epoch: Epoch
    let planted: Planting
    /// Whether requests are stored; if not, no account can be moved here.
    let storesRequests: Bool
    /// The moves that brought accounts here.
    let taken: Set<AccountMove>
    var outgoing: OutgoingMove?
    var incoming: IncomingMove?
    /// The number of the last move away in this epoch.
    var lastNumber: UInt64 = 0
    /// The newest move of each source that ended here; only holders of the cells' secret name sources.
    private var ended: [CellName: AccountMove] = [:]

    /// Nil without cells.
    init?(_ configuration: ControllerConfiguration, at now: MonotonicTime) {
        guard let cells = configuration.cells else { return nil }
        (own, storesRequests, taken) = (cells.own, cells.storesRequests, cells.moves.taken)
        (epoch, planted) = (configuration.epoch, configuration.planted)
        outgoing = cells.moves.committed.map { OutgoingMove($0, phase: .committed, at: now) }
    }

    /// Ends a move to here that the source does not continue, because it gets the reply that it is not known.
    mutating func end(_ move: AccountMove) {
        incoming = incoming.flatMap { $0.move == move ? nil : $0 }
        if !hasEnded(move) { ended[move.source] = move }
    }

    /// Whether a move to here, or a later one of its source, has ended: an offer of it is late.
    func hasEnded(_ move: AccountMove) -> Bool {
        ended[move.source].map { ($0.epoch, $0.number) >= (move.epoch, move.number) } ?? false
    }

    /// Advances both moves.
    mutating func turn(
        in access: inout AccessControl, _ engine: inout RequestEngine, at now: MonotonicTime,
        into effects: inout Effects
    ) {
        advanceOutgoing(in: &access, &engine, at: now, into: &effects)
        advanceIncoming(in: &access, at: now, into: &effects)
    }

    /// When something of a move must be looked at.
    @inline(__always)
    var nextDue: MonotonicTime { min(outgoing?.nextDue ?? .never, incoming?.nextDue ?? .never) }
}

struct OutgoingMove: Sendable {
    enum Phase: Sendable {
        /// The target copies the history, and the account is in use.
        case copying
        /// The account is frozen, and its open requests end until that time.
        case draining(until: MonotonicTime)
        case reading
        /// The target copies the rest, of which this is all.
        case frozen(rest: [UInt8])
        /// The target may take the account.
        case committed
        /// The target has the account, and this cell stops to remove it.
        case departed
    }

    let move: AccountMove
    var phase: Phase
    var devices: UInt32 = 0
    /// The operators who wait for the end.
    var waiters: [Waiter] = []
    /// The requests that had ended when the move began: they are copied before the account is frozen.
    var history: Set<RequestID> = []
    /// When the account was frozen; nil before.
    var frozenAt: MonotonicTime?
    /// When the target asked for content last.
    var lastQuery: MonotonicTime
    /// When the target is asked for its progress next.
    var nextSend: MonotonicTime

    init(_ move: AccountMove, phase: Phase = .copying, at now: MonotonicTime) {
        (self.move, self.phase, lastQuery, nextSend) = (move, phase, now, now)
    }

    /// Whether the other cell or the shell has taken too long, so that the account stays.
    func isLate(at now: MonotonicTime, _ planted: Planting) -> Bool {
        switch phase {
        case .copying: now >= lastQuery.advanced(by: AccountMoves.silenceAtMost)
        case .reading, .frozen: frozenAt.map { now >= $0.advanced(by: AccountMoves.frozenAtMost) } ?? false
        case .committed: planted(.moveLiftedUnanswered) && now >= lastQuery.advanced(by: .seconds(1))
        case .draining, .departed: false
        }
    }

    /// When this must be looked at.
    var nextDue: MonotonicTime? {
        if case .departed = phase { nil } else { nextSend }
    }
}

struct IncomingMove: Sendable {
    enum Phase: Sendable, Equatable {
        case copying
        case checking
        case ready
        /// The account is being stored; afterwards this cell starts again, and has it.
        case storing
        case refused(String)
    }

    let move: AccountMove
    var phase = Phase.copying
    var part = MoveContent.Part.history
    var position: UInt64 = 0
    /// The ended requests and the horizon.
    var entries: [JournalEntry] = []
    /// The rest, as far as it is copied.
    var rest: [UInt8] = []
    var rows: [UInt8] = []
    var bytes = 0
    /// When the last message of the source arrived.
    var lastSign: MonotonicTime
    var nextQuery: MonotonicTime

    init(_ move: AccountMove, at now: MonotonicTime) {
        (self.move, lastSign, nextQuery) = (move, now, now)
    }

    var query: MoveContentQuery { MoveContentQuery(move: move, part: part, position: position) }

    /// When this must be looked at; the end of a silence at the latest.
    var nextDue: MonotonicTime? {
        switch phase {
        case .copying: nextQuery
        case .checking, .ready, .refused: lastSign.advanced(by: AccountMoves.silenceAtMost)
        case .storing: nil
        }
    }

    /// The progress, as the source sees it.
    var progress: (phase: AccountMoveStatus.Phase, reason: String) {
        switch phase {
        case .copying, .checking: (.copying, "")
        case .ready, .storing: (.ready, "")
        case .refused(let reason): (.refused, reason)
        }
    }
}

/// The content of an account as it moves between cells: rows of the store, and records of the journal.
enum AccountContent {
    /// Why content cannot be taken.
    struct Unreadable: Error {}

    /// All that is copied while the account is frozen: the rows, the horizon, and the records that were not
    /// copied before.
    static func rest(rows: [UInt8], horizon: WallTime?, records: [UInt8], of account: AccountID) -> [UInt8] {
        var (length, mark) = (RecordWriter(), RecordWriter())
        length.put(UInt64(rows.count))
        if let horizon { mark.put(JournalEntry.horizonRaised(horizon, of: account)) }
        return length.bytes + rows + mark.bytes + records
    }

    /// The parts of what ``rest(rows:horizon:records:of:)`` returned.
    static func read(
        rest: [UInt8], of account: AccountID
    ) throws(Unreadable) -> (rows: [UInt8], entries: [JournalEntry]) {
        var reader = RecordReader(rest)
        guard let count = try? reader.read(UInt64.self), count <= UInt64(reader.bytesLeft) else {
            throw Unreadable()
        }
        let start = rest.count - reader.bytesLeft
        let end = start + Int(count)
        return (Array(rest[start..<end]), try entries(of: rest[end...], of: account))
    }

    /// Reads records; only ended requests and horizons of the account are accepted.
    static func entries(
        of bytes: ArraySlice<UInt8>, of account: AccountID
    ) throws(Unreadable) -> [JournalEntry] {
        var reader = RecordReader(bytes)
        var entries: [JournalEntry] = []
        while reader.bytesLeft > 0 {
            guard let entry = try? reader.read(JournalEntry.self), entry.account == account else {
                throw Unreadable()
            }
            entries.append(entry)
        }
        return entries
    }
}

extension JournalEntry {
    /// The account of an ended request or a horizon; nil for other entries.
    fileprivate var account: AccountID? {
        switch self {
        case .ended(let account, _, _, _): account
        case .horizonRaised(_, let account): account
        default: nil
        }
    }
}
