import FleetProtocol

/// The users and accounts of this cell, as a list of changes that other cells pull.
struct CellDirectory: Sendable {
    /// The number of changes in excess of the present entries at which a new generation begins.
    private static let supersededAtMost = 4_096
    /// The numbers of generations that one run may use.
    private static let generationsOfRun: UInt64 = 1 << 20

    static func firstGeneration(of epoch: Epoch) -> UInt64 { epoch.value &* generationsOfRun }

    struct Position: Sendable {
        let generation: UInt64
        let changes: UInt64
    }

    private let pageChanges: Int
    private var generation: UInt64
    private var present: Set<CellHash> = []
    private var changes: [CellDirectoryChange] = []

    /// An empty directory; its generations are those of the epoch, so that they exceed earlier ones.
    init(epoch: Epoch, pageChanges: Int) {
        generation = Self.firstGeneration(of: epoch)
        self.pageChanges = pageChanges
    }

    mutating func add(_ hash: CellHash) {
        if present.insert(hash).inserted { append(CellDirectoryChange(hash)) }
    }

    mutating func remove(_ hash: CellHash) {
        if present.remove(hash) != nil { append(CellDirectoryChange(hash, isRemoval: true)) }
    }

    /// The number of entries that fulfil a condition.
    func count(where isCounted: (CellHash) -> Bool) -> Int { present.count(where: isCounted) }

    /// The position after all changes so far.
    var position: Position { Position(generation: generation, changes: UInt64(changes.count)) }

    /// Whether a cell that sends a pull has all changes before a position.
    func has(_ pull: CellDirectoryPull, _ position: Position) -> Bool {
        guard pull.generation == generation else { return false }
        // The first changes of a later generation add all that there is.
        return pull.position >= (position.generation == generation ? position.changes : UInt64(changes.count))
    }

    private mutating func append(_ change: CellDirectoryChange) {
        changes.append(change)
        guard changes.count > present.count + Self.supersededAtMost else { return }
        generation += 1
        changes = present.sorted().map { CellDirectoryChange($0) }
    }

    /// Returns the changes after those that the requester has; from the first one if it knows another
    /// generation.
    func page(
        for pull: CellDirectoryPull, of cell: CellName, among cells: CellHash,
        successors: [CellDirectoryPage.Successor]
    ) -> CellDirectoryPage {
        let isCurrent = pull.generation == generation && pull.position <= UInt64(changes.count)
        let position = isCurrent ? Int(pull.position) : 0
        return CellDirectoryPage(
            cell: cell, cells: cells, generation: generation, position: UInt64(position),
            total: UInt64(changes.count), changes: Array(changes[position...].prefix(pageChanges)),
            successors: successors)
    }
}

/// The directory of another cell, as far as this one has pulled it.
struct OtherDirectory: Sendable {
    let name: CellName
    /// The hash of all cells' names when the directory was complete last.
    private(set) var cells: CellHash?
    /// When the last page arrived; nil without one.
    private(set) var lastPageAt: MonotonicTime?
    var nextPull = MonotonicTime.zero
    private let planted: Planting
    /// The complete state that is in use; nil before the first.
    private var known: Set<CellHash>?
    /// The generation of that state; 0 before the first.
    private var knownGeneration: UInt64 = 0
    /// The last complete page, as long as the directories of its successors are not as new as it requires.
    private var waiting: (page: CellDirectoryPage, state: Set<CellHash>)?
    /// The state of the generation that is pulled.
    private var pulled: Set<CellHash> = []
    /// The entries that were pulled of earlier generations since the last complete state.
    private var superseded: Set<CellHash> = []
    private var generation: UInt64 = 0
    private var position: UInt64 = 0

    init(of name: CellName, planted: Planting) { (self.name, self.planted) = (name, planted) }

    /// Whether the directory has been pulled completely.
    var isKnown: Bool { known != nil }

    func pull(by cell: CellName) -> CellDirectoryPull {
        CellDirectoryPull(cell: cell, generation: generation, position: position)
    }

    /// Whether the cell has a user or an account. While a new generation is pulled, those of the last ones
    /// count too.
    func has(_ hash: CellHash) -> Bool {
        pulled.contains(hash) || known?.contains(hash) ?? false || waiting?.state.contains(hash) ?? false
            || superseded.contains(hash)
    }

    /// Forgets which cells the other one knows, until its next page.
    mutating func removeCells() { cells = nil }

    /// What a page has done.
    enum Reception {
        /// Nothing: it arrived twice or late.
        case unused
        case more
        case complete
    }

    /// Handles a page; only one that continues the pulled state is used.
    mutating func receive(_ page: CellDirectoryPage, at now: MonotonicTime) -> Reception {
        let isLater = page.generation > generation && page.position == 0
        let isNext = page.generation == generation && page.position == position
        guard isLater || isNext || planted(.latePageAccepted) else { return .unused }
        if page.generation != generation {
            superseded.formUnion(pulled)
            (generation, pulled) = (page.generation, [])
        }
        for change in page.changes {
            if change.isRemoval { pulled.remove(change.hash) } else { pulled.insert(change.hash) }
        }
        position = page.position + UInt64(page.changes.count)
        lastPageAt = now
        guard position == page.total || planted(.directoryIncomplete) else { return .more }
        waiting = (page, pulled)
        return .complete
    }

    /// Whether a complete state waits for those of its successors.
    fileprivate var isWaiting: Bool { waiting != nil }

    fileprivate func generation(withWaiting usesWaiting: Bool) -> UInt64 {
        usesWaiting ? waiting?.page.generation ?? knownGeneration : knownGeneration
    }

    /// Whether the state that waits may be used beside the generations of others; only these are awaited.
    fileprivate func mayBeUsed(beside generations: [CellName: UInt64]) -> Bool {
        if planted(.successorsIgnored) { return true }
        return waiting?.page.successors.allSatisfy { successor in
            generations[successor.cell].map { $0 >= CellDirectory.firstGeneration(of: successor.epoch) }
                ?? true
        } ?? false
    }

    fileprivate mutating func useWaiting() {
        guard let (page, state) = waiting else { return }
        (known, knownGeneration, cells, waiting) = (state, page.generation, page.cells, nil)
        superseded = []
    }
}

extension [OtherDirectory] {
    /// Uses all complete states for which the directories of the cells that got accounts are as new as they
    /// require: otherwise these accounts would be nowhere for a time. What counts is which states are then in
    /// use: an account may have been moved on, and the state that says so may have to wait itself.
    mutating func useComplete() {
        var used = Set(indices.filter { self[$0].isWaiting })
        while !used.isEmpty {
            let generations = Dictionary(
                uniqueKeysWithValues: indices.map {
                    (self[$0].name, self[$0].generation(withWaiting: used.contains($0)))
                })
            let unmet = used.filter { !self[$0].mayBeUsed(beside: generations) }
            guard !unmet.isEmpty else { break }
            used.subtract(unmet)
        }
        for place in indices where used.contains(place) { self[place].useWaiting() }
    }
}

/// A user who is about to be added in another cell than their home.
///
/// The cell first adds the user to its directory. It then waits until each other cell has pulled that change,
/// and pulls the other's directory again. From then on the user is unique: a cell that has pulled the change
/// refuses sign-ups and reservations of the user, and an earlier one is in the page that the cell sent later.
/// Two cells that reserve a user at the same time detect each other, and both give up.
struct CellReservation: Sendable {
    /// The longest time that a reservation waits for the other cells.
    static let longest: Duration = .seconds(4)

    /// What the reservation waits for from another cell.
    private enum Stage {
        case pull
        /// That its directory is complete as of a pull after that one.
        case page(after: UInt64)
        /// Nothing more.
        case done
    }

    let addition: Addition
    /// The hash of the user, and that of a new account.
    let hashes: [CellHash]
    /// The position of the directory after their addition.
    let position: CellDirectory.Position
    let deadline: MonotonicTime
    private var stages: [CellName: Stage] = [:]

    init(
        of addition: Addition, hashes: [CellHash], at position: CellDirectory.Position,
        until deadline: MonotonicTime
    ) {
        (self.addition, self.hashes) = (addition, hashes)
        (self.position, self.deadline) = (position, deadline)
    }

    /// Waits for these cells; for those of before, from the stage that they have reached.
    mutating func begin(with cells: [CellName]) {
        for cell in cells where stages[cell] == nil { stages[cell] = .pull }
        stages = stages.filter { cells.contains($0.key) }
    }

    /// Records that a cell has the change; returns whether this was not known. `correlation` is that of the
    /// last pull that was sent.
    mutating func isKnown(by cell: CellName, pullingAfter correlation: UInt64) -> Bool {
        guard case .pull? = stages[cell] else { return false }
        stages[cell] = .page(after: correlation)
        return true
    }

    /// Records that the directory of a cell is complete as of a pull.
    mutating func knowsAll(of cell: CellName, asOf correlation: UInt64) {
        guard case .page(let earlier)? = stages[cell], correlation > earlier else { return }
        stages[cell] = .done
    }

    var isGranted: Bool {
        stages.values.allSatisfy { if case .done = $0 { true } else { false } }
    }
}
