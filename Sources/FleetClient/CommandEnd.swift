public import FleetProtocol

/// How the wait for a command ended.
public enum CommandEnd: Hashable, Sendable {
    /// The command's outcome; `unknown` when it left and nothing final was heard in time.
    case outcome(OutcomeReport)
    /// The task that waited was cancelled, the command was taken back, and this is what became of it.
    case cancel(CancelAnswer)
}
