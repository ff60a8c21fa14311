import ArgumentParser

/// What ended requests survive.
enum Durability: String, CaseIterable, ExpressibleByArgument {
    /// Nothing: requests and their ends are in memory only.
    case none
    /// The death of any process.
    case process
    /// Loss of power, too: each batch is on the disk before anybody hears of it.
    case power

    /// SQLite's word for how hard it tries, and the number that it answers when it is asked.
    var synchronous: (word: String, number: Int) {
        switch self {
        case .none, .process: ("NORMAL", 1)
        case .power: ("FULL", 2)
        }
    }
}
