import DequeModule

/// Which connections are open, and which of them has to go for another.
///
/// A connection is idle until one of its requests is being answered. When the table is full, overall or for
/// one address, the connection that has been idle for longest is closed; if none is idle, the newcomer is
/// refused.
public struct ConnectionTable<Address: Hashable & Sendable>: Sendable {
    /// A connection's number; it is never used again.
    public typealias ID = UInt64

    /// What becomes of one that opens.
    public enum Opening: Equatable, Sendable {
        /// It has a place, which another may have to leave.
        case accepted(ID, closing: ID?)
        /// The table is full of connections that are being answered.
        case refused
    }

    private struct Entry: Sendable {
        let address: Address?
        /// The idle spell that it is in; nil while it is being answered.
        var spell: UInt64?
    }

    private struct Spell: Sendable {
        let id: ID
        let number: UInt64
    }

    private let connectionsAtMost: Int
    private let perAddress: Int
    private var entries: [ID: Entry] = [:]
    private var counts: [Address: Int] = [:]
    /// Idle spells, the oldest first; those that have ended are skipped.
    private var spells: Deque<Spell> = []
    private var lastNumber: UInt64 = 0

    /// A table without connections.
    public init(connectionsAtMost: Int, perAddress: Int) {
        self.connectionsAtMost = connectionsAtMost
        self.perAddress = perAddress
    }

    /// How many are open.
    public var count: Int { entries.count }

    /// One opens; without an address it counts for no bound but the overall one.
    public mutating func open(from address: Address?) -> Opening {
        var leaving: ID?
        if let address, counts[address, default: 0] >= perAddress {
            guard let idle = oldestIdle(where: { $0.address == address }) else { return .refused }
            leaving = idle
        } else if entries.count >= connectionsAtMost {
            guard let idle = oldestIdle(where: { _ in true }) else { return .refused }
            leaving = idle
        }
        if let leaving { close(leaving) }
        lastNumber += 1
        let id = lastNumber
        entries[id] = Entry(address: address, spell: nil)
        if let address { counts[address, default: 0] += 1 }
        becameIdle(id)
        return .accepted(id, closing: leaving)
    }

    /// A request of it is being answered.
    public mutating func becameBusy(_ id: ID) { entries[id]?.spell = nil }

    /// Nothing of it is being answered any more.
    public mutating func becameIdle(_ id: ID) {
        guard entries[id] != nil else { return }
        lastNumber += 1
        entries[id]?.spell = lastNumber
        spells.append(Spell(id: id, number: lastNumber))
        if spells.count > 2 * connectionsAtMost { spells.removeAll { entries[$0.id]?.spell != $0.number } }
    }

    /// It has ended, or is about to.
    public mutating func close(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id), let address = entry.address else { return }
        counts[address, default: 0] -= 1
        if counts[address] == 0 { counts[address] = nil }
    }

    private mutating func oldestIdle(where suits: (Entry) -> Bool) -> ID? {
        while let first = spells.first, entries[first.id]?.spell != first.number { spells.removeFirst() }
        return spells.first { spell in
            guard let entry = entries[spell.id], entry.spell == spell.number else { return false }
            return suits(entry)
        }?.id
    }
}
