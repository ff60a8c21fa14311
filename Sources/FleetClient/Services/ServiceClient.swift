public import FleetProtocol

/// A client that sends the requests of account services: ``FleetClient/FleetClient``, or a test double.
public protocol ServiceClient: Sendable {
    /// Sends a request of an account service, and returns the reply.
    ///
    /// - Parameter credentials: The caller's credentials; nil for those of the user who has logged in.
    /// - Throws: The errors of requests of ``FleetClient/FleetClient``.
    func request<Request: ServiceRequest>(
        _ request: Request, as credentials: Credentials?, timeout: Duration
    ) async throws(FleetError) -> Request.Reply
}

extension ServiceClient {
    /// Collects a list chunk by chunk; a controller has `bound` entries at most. Fails for a reply of another
    /// kind, a chunk without progress, and too many entries.
    func collect<Entry>(
        atMost bound: Int, _ pull: ([Entry]) async throws(FleetError) -> (entries: [Entry], isLast: Bool)?
    ) async throws(FleetError) -> [Entry] {
        var (found, isLast) = ([Entry](), false)
        while !isLast {
            guard let chunk = try await pull(found), chunk.isLast || !chunk.entries.isEmpty,
                found.count + chunk.entries.count <= bound
            else { throw .unexpectedReply }
            found += chunk.entries
            isLast = chunk.isLast
        }
        return found
    }
}
