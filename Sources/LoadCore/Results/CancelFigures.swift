/// What became of the requests that were taken back.
public struct CancelFigures: Codable, Equatable, Sendable {
    /// Cancelled: never applied, and never will be.
    public internal(set) var inTime = 0
    /// They had already ended.
    public internal(set) var tooLate = 0
    /// The device was asked and had not said.
    public internal(set) var pending = 0
    /// The cancel was not accepted.
    public internal(set) var refused = 0
    /// The cancel had no answer.
    public internal(set) var noAnswer = 0
    /// From the cancel's leaving to its answer.
    public internal(set) var latencyUs: LatencyFigures
}
