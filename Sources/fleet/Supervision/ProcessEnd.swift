/// How one life of a process ended.
enum ProcessEnd: Hashable, Sendable {
    /// By itself, with that status.
    case exited(Int32)
    /// By that signal.
    case signaled(Int32)
    /// It never began; why, in words.
    case neverStarted(String)

    /// The end in words: "it …".
    var words: String {
        switch self {
        case .exited(0): "ended by itself"
        case .exited(let status): "ended by itself with status \(status)"
        case .signaled(let number): "was ended by \(Self.name(ofSignal: number))"
        case .neverStarted(let reason): "could not be started: \(reason)"
        }
    }

    private static func name(ofSignal number: Int32) -> String {
        names[number].map { "signal \(number) (\($0))" } ?? "signal \(number)"
    }

    private static let names: [Int32: String] = [
        1: "hang-up", 2: "interrupt", 4: "illegal instruction", 5: "trap", 6: "abort", 7: "bus error",
        8: "arithmetic", 9: "kill", 11: "segmentation fault", 13: "broken pipe", 15: "terminate",
    ]

    /// Whether whoever watches the fleet is done watching, rather than struck down.
    ///
    /// A pipe that nobody reads any more ends its writer by signal 13; that is a reader who left.
    var isOwnWish: Bool {
        switch self {
        case .exited, .signaled(13): true
        case .signaled, .neverStarted: false
        }
    }
}
