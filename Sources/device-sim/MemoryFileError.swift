import DeviceCore

/// A file that should hold a node's memory, and does not.
struct MemoryFileError: Error, CustomStringConvertible {
    /// Where it is.
    let path: String
    /// What is wrong.
    let damage: MemoryDamage

    var description: String {
        let advice =
            if case .newerFormat = damage {
                "start the program that wrote it, or move the file away and its devices begin new lives"
            } else {
                "bring a copy of it back, or move it away and its devices begin new lives"
            }
        return "\(path) cannot be used, and was left as it is: \(damage); \(advice)"
    }
}
