import FleetProtocol

/// Which changes of a node have arrived, and the pull that transfers the missing ones.
struct NodeChanges: Sendable {
    private struct Pull: Sendable {
        let since: ChangeNumber
        /// The number that chunks repeat: a chunk of an earlier pull may be outdated.
        let number: UInt64
        var cursor: UInt32 = 0
        /// The node's change number when it made the first chunk; nil before that chunk arrives.
        var covered: ChangeNumber?
        var dueAt: MonotonicTime
    }

    enum Step {
        case none
        case startPull
        case requestChunk
    }

    /// The state of a pull after a chunk of rows.
    enum Progress {
        case requestChunk
        case complete(isWholeTable: Bool)
    }

    /// How long a gap may last before a pull: the other socket may just be slower.
    private static let gapTimeout: Duration = .milliseconds(200)
    /// How long a chunk may take before it is requested again.
    private static let chunkTimeout: Duration = .seconds(1)

    private var arrivals = ArrivalWindow()
    private var pull: Pull?
    /// Whether the whole initial table of this boot has arrived.
    private var hasTable = false
    /// When a gap was first seen; nil without a gap.
    private var gapSince: MonotonicTime?
    /// Whether a client knows a newer state than the controller: the node is asked even without a gap.
    private var isQuestioned = false

    /// Whether a change has not arrived, or rows are being pulled or will be next.
    var isIncomplete: Bool { arrivals.hasGap || isBeingRepaired }

    /// Whether rows are being pulled or will be next; lanes continue when the rows have arrived.
    var isBeingRepaired: Bool { pull != nil || isQuestioned }

    /// Whether a repair was due while the node was unreachable.
    var isOverdue: Bool { pull != nil || gapSince != nil }

    /// Whether the whole table is being pulled: by the first pull of a boot, or one of all changes.
    var isPullingTable: Bool { pull.map { !hasTable || $0.since == .zero } ?? false }

    mutating func announce(_ number: ChangeNumber) { arrivals.announce(number) }

    @inline(__always)
    mutating func arrive(_ number: ChangeNumber) { arrivals.arrive(number) }

    /// Forgets which changes have arrived, so that the next pull transfers the whole table.
    mutating func clearArrivals() { arrivals = ArrivalWindow() }

    /// Looks for a gap; returns when to repair a new one.
    @inline(__always)
    mutating func notice(at now: MonotonicTime) -> MonotonicTime? {
        guard arrivals.hasGap || isQuestioned else {
            gapSince = nil
            return nil
        }
        guard gapSince == nil, pull == nil else { return nil }
        gapSince = now
        return now.advanced(by: Self.gapTimeout)
    }

    /// Records that a client knows a newer state; returns whether to repair at once.
    mutating func question(at now: MonotonicTime) -> Bool {
        isQuestioned = true
        guard pull == nil else { return false }
        gapSince = now.advanced(by: .zero - Self.gapTimeout)
        return true
    }

    /// Returns the step that is due because a gap has lasted, or a chunk has not arrived.
    func due(at now: MonotonicTime) -> Step {
        if let pull { return now >= pull.dueAt ? .requestChunk : .none }
        guard let gapSince, gapSince.advanced(by: Self.gapTimeout) <= now else { return .none }
        return .startPull
    }

    /// Begins a pull of all changes that have not arrived.
    mutating func startPull(number: UInt64, at now: MonotonicTime) {
        gapSince = nil
        isQuestioned = false
        pull = Pull(since: arrivals.contiguous, number: number, dueAt: now)
    }

    /// Returns the request for the next chunk, and when to repeat it; nil without a pull.
    mutating func requestChunk(
        at now: MonotonicTime
    ) -> (body: ControllerMessage.Body, repeatAt: MonotonicTime)? {
        guard var pull else { return nil }
        pull.dueAt = now.advanced(by: Self.chunkTimeout)
        self.pull = pull
        return (.pull(since: pull.since, cursor: pull.cursor, number: pull.number), pull.dueAt)
    }

    func awaits(_ chunk: RowChunk) -> Bool {
        guard let pull else { return false }
        return pull.number == chunk.pull && pull.since == chunk.since && pull.cursor == chunk.cursor
    }

    /// Records that the rows of the requested chunk were applied, in a message with that change number.
    mutating func received(_ chunk: RowChunk, lastNumber number: ChangeNumber) -> Progress {
        guard var pull else { preconditionFailure("a chunk of rows without a pull") }
        let covered = pull.covered ?? number
        guard chunk.isLast else {
            pull.covered = covered
            pull.cursor = chunk.nextCursor
            self.pull = pull
            return .requestChunk
        }
        let isWholeTable = isPullingTable
        self.pull = nil
        arrivals.pulled(upTo: covered)
        hasTable = hasTable || isWholeTable
        return .complete(isWholeTable: isWholeTable)
    }
}

/// The set of a node's changes that have arrived, over both of its sockets and in any order.
struct ArrivalWindow: Sendable {
    /// The capacity for numbers beyond the first gap; later ones are dropped, and a pull recovers them.
    private static let capacity = 4_096

    /// The number up to which all changes have arrived.
    private(set) var contiguous: ChangeNumber
    /// The highest change number that the node has mentioned.
    private(set) var announced: ChangeNumber
    private var beyond: Set<UInt64> = []

    init(from number: ChangeNumber = .zero) {
        contiguous = number
        announced = number
    }

    var hasGap: Bool { contiguous < announced }

    mutating func announce(_ number: ChangeNumber) { announced = max(announced, number) }

    mutating func arrive(_ number: ChangeNumber) {
        announce(number)
        guard number > contiguous else { return }
        guard number == contiguous.next else {
            if beyond.count < Self.capacity { beyond.insert(number.value) }
            return
        }
        contiguous = number
        closeUp()
    }

    mutating func pulled(upTo number: ChangeNumber) {
        guard number > contiguous else { return }
        contiguous = number
        announce(number)
        beyond = beyond.filter { $0 > number.value }
        closeUp()
    }

    private mutating func closeUp() {
        guard !beyond.isEmpty else { return }
        while beyond.remove(contiguous.value + 1) != nil { contiguous = contiguous.next }
    }
}
