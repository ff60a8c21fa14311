import FleetProtocol

/// What a wait gave.
enum Ending: Equatable, Sendable {
    /// The reply to a query, refusals aside.
    case reply(ClientReply.Body)
    /// The end of a command.
    case command(CommandEnd)
}
