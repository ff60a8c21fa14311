public import Stepping

/// Lets so many lines of one kind a second into the log, so that nobody fills the disk by doing something
/// again and again.
public struct LineBudget: Sendable {
    private let linesPerSecond: Int
    private var secondBeganAt: MonotonicTime?
    private var said = 0
    private var unsaid = 0

    /// A budget of that many lines a second.
    public init(linesPerSecond: Int) {
        self.linesPerSecond = linesPerSecond
    }

    /// Asks for a line.
    ///
    /// - Returns: How many were left out since the last one; nil: this one is left out too.
    public mutating func spend(at now: MonotonicTime) -> Int? {
        if secondBeganAt.map({ $0.duration(to: now) >= .seconds(1) }) ?? true {
            (secondBeganAt, said) = (now, 0)
        }
        guard said < linesPerSecond else {
            unsaid += 1
            return nil
        }
        said += 1
        defer { unsaid = 0 }
        return unsaid
    }
}
