import FleetReplica

/// A value that reads the events of a replica, and decides what to print and when to end.
protocol FleetReader: Sendable {
    mutating func read(_ event: FleetEvent, of replica: Replica, into results: inout [FleetReading])

    /// Handles the passing of time, and appends the results.
    mutating func tick(_ replica: Replica, into results: inout [FleetReading])
}

/// A result of reading a replica.
enum FleetReading: Equatable, Sendable {
    /// A line for standard output.
    case line(String)
    /// A remark for standard error.
    case remark(String)
    /// The end of the reading: nil if it was successful.
    case end(CommandFailure?)
}

/// The reason why a command no longer follows a fleet.
enum FollowEnd: Equatable, Sendable {
    case finished
    /// The user stopped the command.
    case interrupted
    /// The timeout has passed; whether the state of every device was known then.
    case timedOut(isWhole: Bool)
}
