public import FleetProtocol

/// A client of account services: ``FleetClient/FleetClient`` for the user who has logged in,
/// ``ServiceCaller`` for other users, or a test double.
public protocol ServiceClient: Sendable {
    /// Sends a request of an account service, and returns the reply.
    ///
    /// - Throws: The errors of requests of ``FleetClient/FleetClient``.
    func request<Request: ServiceRequest>(_ request: Request) async throws(FleetError) -> Request.Reply
}

/// A client of account services with the credentials of one user, and one timeout for each request.
public struct ServiceCaller: ServiceClient {
    let client: FleetClient
    let credentials: Credentials?
    let timeout: Duration

    /// Sends a request of an account service, and returns the reply.
    ///
    /// The client sends it again according to the request's `RequestTraits.retry`.
    public func request<Request: ServiceRequest>(
        _ request: Request
    ) async throws(FleetError) -> Request.Reply {
        try await client.request(request, as: credentials, timeout: timeout)
    }
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
