import DeviceCore

/// A file that should hold a node's memory, and does not.
struct MemoryFileError: Error, CustomStringConvertible {
    /// Where it is.
    let path: String
    /// What is wrong.
    let damage: MemoryDamage

    var description: String {
        let advice =
            switch damage {
            case .newerFormat:
                "start the program that wrote it, or move the file away and its devices begin new lives"
            case .notWitness:
                "move it away, and the memory is taken for whole; or move both away for new lives"
            case .notMemory, .damaged, .malformed, .lostEnd:
                "bring a copy of it back, or move it away and its devices begin new lives"
            }
        return "\(path) cannot be used, and was left as it is: \(damage); \(advice)"
    }
}
