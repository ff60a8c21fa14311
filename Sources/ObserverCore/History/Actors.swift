import FleetProtocol

/// Addresses of people, each kept once however many events name it.
struct Actors: Sendable {
    /// Those that are kept at most; beyond, all are begun anew.
    static let limit = 256

    private(set) var known: Set<Email> = []

    /// That address, in the memory that it has had before where it has any.
    mutating func kept(_ actor: Email) -> Email {
        if known.count >= Self.limit { known.removeAll(keepingCapacity: true) }
        return known.insert(actor).memberAfterInsert
    }
}
