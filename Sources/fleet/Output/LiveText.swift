import Synchronization
import UserText

/// Lines at the end of a terminal's output that later ones replace.
struct LiveText: Sendable {
    private var lines: [String] = []

    /// Returns the output that replaces the lines by those of a text; nil removes them. The number of columns
    /// may have changed since the last call.
    mutating func output(replacingWith text: String?, columns: Int) -> String {
        let new = text?.split(separator: "\n", omittingEmptySubsequences: false).map(String.init) ?? []
        guard !(lines.isEmpty && new.isEmpty) else { return "" }
        let start = start(columns)
        lines = new
        return start + Self.joined(lines) + TerminalScreen.clearBelow
    }

    /// Returns the outputs before and after that of others: the lines are removed, and shown again below it.
    func outputs(aroundOthersIn columns: Int) -> (before: String, after: String) {
        lines.isEmpty ? ("", "") : (start(columns) + TerminalScreen.clearBelow, Self.joined(lines))
    }

    private func start(_ columns: Int) -> String {
        let rows = lines.reduce(0) { $0 + max(1, (DisplayWidth.of($1) + columns - 1) / max(1, columns)) }
        return "\r" + (rows > 1 ? "\u{1b}[\(rows - 1)A" : "")
    }

    private static func joined(_ lines: [String]) -> String {
        lines.joined(separator: "\(TerminalScreen.lineEnd)\n")
    }
}

/// The output of a command on a terminal, with live lines at its end.
final class LiveOutput: Sendable {
    private let text = Mutex(LiveText())
    private let columns: @Sendable () -> Int
    private let write: @Sendable (String) -> Void

    init(columns: @escaping @Sendable () -> Int, write: @escaping @Sendable (String) -> Void) {
        (self.columns, self.write) = (columns, write)
    }

    /// Replaces the live lines by those of a text; nil removes them.
    func show(_ new: String?) {
        text.withLock { text in
            let output = text.output(replacingWith: new, columns: columns())
            if !output.isEmpty { write(output) }
        }
    }

    func writeAbove<Failure: Error>(_ others: () throws(Failure) -> Void) throws(Failure) {
        try text.withLock { text throws(Failure) in
            let (before, after) = text.outputs(aroundOthersIn: columns())
            if !before.isEmpty { write(before) }
            try others()
            if !after.isEmpty { write(after) }
        }
    }
}
