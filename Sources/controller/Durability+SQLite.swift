import Runtime

extension Durability {
    /// SQLite's word for how hard it tries, and the number that it answers when it is asked.
    var synchronous: (word: String, number: Int) {
        switch self {
        case .none, .process: ("NORMAL", 1)
        case .power: ("FULL", 2)
        }
    }
}
