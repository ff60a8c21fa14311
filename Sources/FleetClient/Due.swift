import FleetProtocol

/// What a request that waits wants to have done.
enum Due: Equatable, Sendable {
    /// Nothing, for now.
    case nothing
    /// Its message is to be offered to the socket.
    case send(ClientRequest.Body)
    /// The cancel of its command is.
    case sendCancel(ClientRequest.Body)
    /// The wait is over.
    case end(Result<Ending, FleetError>)
    /// The wait is over, and nothing has ever left.
    case endUnsent
}
