import DequeModule

/// Which connections are open, and which of them has to go for another.
///
/// A connection is idle until a request arrives, then awaits the answer, and sends the answer from its head
/// to its end: a live stream for as long as its page is open. When the table is full, overall or for one
/// address, the connection that has been idle for longest is closed. If none is idle, the one is closed that
/// has been sending for longest, of the address that has the most connections. A newcomer is refused only
/// while all others await their answers.
public struct ConnectionTable<Address: Hashable & Sendable>: Sendable {
    /// A connection's number; it is never used again.
    public typealias ID = UInt64

    /// What becomes of one that opens.
    public enum Opening: Equatable, Sendable {
        /// It has a place, which another may have to leave.
        case accepted(ID, closing: ID?)
        /// The table is full of connections that await their answers.
        case refused
    }

    private enum Activity: Equatable, Sendable {
        case idle, awaiting, sending
    }

    private struct Entry: Sendable {
        let address: Address?
        var activity = Activity.idle
        /// The spell of that activity.
        var spell: UInt64
    }

    private struct Spell: Sendable {
        let id: ID
        let number: UInt64
    }

    private let connectionsAtMost: Int
    private let perAddress: Int
    private var entries: [ID: Entry] = [:]
    private var counts: [Address?: Int] = [:]
    /// Spells of idleness and of sending, the oldest first; those that have ended are skipped.
    private var idle: Deque<Spell> = []
    private var sending: Deque<Spell> = []
    private var lastNumber: UInt64 = 0

    /// A table without connections.
    public init(connectionsAtMost: Int, perAddress: Int) {
        (self.connectionsAtMost, self.perAddress) = (connectionsAtMost, perAddress)
    }

    /// How many are open.
    public var count: Int { entries.count }

    /// One opens; without an address it counts for no bound but the overall one.
    public mutating func open(from address: Address?) -> Opening {
        var leaving: ID?
        if let address, counts[address, default: 0] >= perAddress {
            leaving = oldest { $0.address == address }
            guard leaving != nil else { return .refused }
        } else if entries.count >= connectionsAtMost {
            leaving = oldest { _ in true }
            guard leaving != nil else { return .refused }
        }
        if let leaving { close(leaving) }
        lastNumber += 1
        let id = lastNumber
        entries[id] = Entry(address: address, spell: 0)
        counts[address, default: 0] += 1
        becameIdle(id)
        return .accepted(id, closing: leaving)
    }

    /// A request of it has arrived.
    public mutating func becameBusy(_ id: ID) { entries[id]?.activity = .awaiting }

    /// The answer has begun.
    public mutating func beganSending(_ id: ID) { begin(.sending, of: id, in: \.sending) }

    /// Every request of it has been answered.
    public mutating func becameIdle(_ id: ID) { begin(.idle, of: id, in: \.idle) }

    /// It has ended, or is about to.
    public mutating func close(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        counts[entry.address, default: 0] -= 1
        if counts[entry.address] == 0 { counts[entry.address] = nil }
    }

    private mutating func begin(
        _ activity: Activity, of id: ID, in spells: WritableKeyPath<Self, Deque<Spell>>
    ) {
        guard entries[id] != nil else { return }
        lastNumber += 1
        entries[id]?.activity = activity
        entries[id]?.spell = lastNumber
        self[keyPath: spells].append(Spell(id: id, number: lastNumber))
        guard self[keyPath: spells].count > 2 * connectionsAtMost else { return }
        let entries = entries
        self[keyPath: spells].removeAll { !Self.lasts($0, activity, in: entries) }
    }

    /// The connection that has to go, among those that suit; nil if all of them await their answers.
    private mutating func oldest(where suits: (Entry) -> Bool) -> ID? {
        dropEnded(.idle, from: \.idle)
        dropEnded(.sending, from: \.sending)
        if let longestIdle = idle.first(where: { entry($0, .idle).map(suits) ?? false }) {
            return longestIdle.id
        }
        var chosen: (id: ID, count: Int)?
        for spell in sending {
            guard let entry = entry(spell, .sending), suits(entry) else { continue }
            let count = counts[entry.address, default: 0]
            if count > chosen?.count ?? 0 { chosen = (spell.id, count) }
        }
        return chosen?.id
    }

    private mutating func dropEnded(_ activity: Activity, from spells: WritableKeyPath<Self, Deque<Spell>>) {
        while let first = self[keyPath: spells].first, entry(first, activity) == nil {
            self[keyPath: spells].removeFirst()
        }
    }

    /// The connection of a spell that has not ended.
    private func entry(_ spell: Spell, _ activity: Activity) -> Entry? {
        Self.lasts(spell, activity, in: entries) ? entries[spell.id] : nil
    }

    private static func lasts(_ spell: Spell, _ activity: Activity, in entries: [ID: Entry]) -> Bool {
        guard let entry = entries[spell.id] else { return false }
        return entry.activity == activity && entry.spell == spell.number
    }
}
