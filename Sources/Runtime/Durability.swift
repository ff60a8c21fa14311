/// What that is kept on disk outlives.
public enum Durability: String, CaseIterable, Sendable {
    /// Nothing: it is in memory only.
    case none
    /// The death of any process.
    case process
    /// Loss of power, too: each batch is on the disk before anybody hears of it.
    case power

    /// The durability of a name.
    ///
    /// - Throws: `invalidDurability` with the names that there are.
    public static func named(_ name: String) throws(RuntimeError) -> Durability {
        guard let durability = Durability(rawValue: name) else { throw .invalidDurability(name: name) }
        return durability
    }

    /// The names, for help texts.
    public static let names = allCases.map(\.rawValue).joined(separator: ", ")
}
