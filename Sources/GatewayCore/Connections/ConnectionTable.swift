import DequeModule

/// The open connections, and the choice of the one to close for a new one.
///
/// A connection is idle until a request arrives, awaits the answer, and then sends it; a live stream is sent
/// for as long as its page is open. If the table is full, overall or for one address, the connection that has
/// been idle for the longest time is closed. If none is idle, the table closes the one that has been sending
/// for the longest time, of the address with the most connections. It refuses a new connection only while all
/// others await their answers.
public struct ConnectionTable: Sendable {
    /// A connection's number, never reused.
    public typealias ID = UInt64

    public enum Opening: Equatable, Sendable {
        /// The connection has a place; another one may have to be closed.
        case accepted(ID, closing: ID?)
        /// The table is full of connections that await their answers.
        case refused
    }

    private enum Activity: Equatable, Sendable {
        case idle, awaiting, sending
    }

    private struct Entry: Sendable {
        let address: String?
        var activity = Activity.idle
        /// The number of the period of that activity.
        var spell: UInt64
    }

    private struct Spell: Sendable {
        let id: ID
        let number: UInt64
    }

    private let connectionsAtMost: Int
    private let perAddress: Int
    private var entries: [ID: Entry] = [:]
    private var counts: [String?: Int] = [:]
    /// The periods of idleness and of sending, oldest first; ended ones are skipped.
    private var idle: Deque<Spell> = []
    private var sending: Deque<Spell> = []
    private var lastNumber: UInt64 = 0

    public init(connectionsAtMost: Int, perAddress: Int) {
        (self.connectionsAtMost, self.perAddress) = (connectionsAtMost, perAddress)
    }

    public var count: Int { entries.count }

    /// Opens a connection; without an address only the overall limit applies.
    public mutating func open(from address: String?) -> Opening {
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

    public mutating func becameBusy(_ id: ID) { entries[id]?.activity = .awaiting }

    public mutating func beganSending(_ id: ID) {
        guard let spell = begin(.sending, of: id) else { return }
        Self.add(spell, to: &sending, of: .sending, in: entries, atMost: 2 * connectionsAtMost)
    }

    public mutating func becameIdle(_ id: ID) {
        guard let spell = begin(.idle, of: id) else { return }
        Self.add(spell, to: &idle, of: .idle, in: entries, atMost: 2 * connectionsAtMost)
    }

    /// Removes a connection that has ended or is about to end.
    public mutating func close(_ id: ID) {
        guard let entry = entries.removeValue(forKey: id) else { return }
        counts[entry.address, default: 0] -= 1
        if counts[entry.address] == 0 { counts[entry.address] = nil }
    }

    /// Begins a period of an activity; nil for a connection that has no place.
    private mutating func begin(_ activity: Activity, of id: ID) -> Spell? {
        guard entries[id] != nil else { return nil }
        lastNumber += 1
        entries[id]?.activity = activity
        entries[id]?.spell = lastNumber
        return Spell(id: id, number: lastNumber)
    }

    /// Adds a period to those of its activity, and removes the ended ones if these are too many.
    private static func add(
        _ spell: Spell, to spells: inout Deque<Spell>, of activity: Activity, in entries: [ID: Entry],
        atMost limit: Int
    ) {
        spells.append(spell)
        if spells.count > limit { spells.removeAll { !lasts($0, activity, in: entries) } }
    }

    /// Returns the connection to close among those that match; nil if all of them await their answers.
    private mutating func oldest(where suits: (Entry) -> Bool) -> ID? {
        Self.dropEnded(.idle, from: &idle, in: entries)
        Self.dropEnded(.sending, from: &sending, in: entries)
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

    private static func dropEnded(
        _ activity: Activity, from spells: inout Deque<Spell>, in entries: [ID: Entry]
    ) {
        while let first = spells.first, !lasts(first, activity, in: entries) { spells.removeFirst() }
    }

    /// Returns the connection of a period that has not ended.
    private func entry(_ spell: Spell, _ activity: Activity) -> Entry? {
        Self.lasts(spell, activity, in: entries) ? entries[spell.id] : nil
    }

    private static func lasts(_ spell: Spell, _ activity: Activity, in entries: [ID: Entry]) -> Bool {
        guard let entry = entries[spell.id] else { return false }
        return entry.activity == activity && entry.spell == spell.number
    }
}
