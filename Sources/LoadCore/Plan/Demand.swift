/// What decides when the next request is due.
public enum Demand: Equatable, Sendable {
    /// An open loop: so many a second, however long the answers take.
    case rate(perSecond: Double, Arrivals)
    /// A closed loop: so many are on their way at any time, and an answer makes room for the next.
    ///
    /// It finds how much can be carried. It hides waiting: while the fleet stalls, nothing is asked.
    case inFlight(Int)
}
