public import FleetProtocol

/// A client that sends the requests of account services: ``FleetClient/FleetClient``, or a test double.
public protocol ServiceClient: Sendable {
    /// Sends a request of an account service, and returns the reply.
    ///
    /// - Parameters:
    ///   - request: The request.
    ///   - credentials: The caller's credentials; nil for those of the user who has logged in.
    ///   - timeout: The timeout.
    /// - Throws: The errors of requests of ``FleetClient/FleetClient``.
    func request<Request: ServiceRequest>(
        _ request: Request, as credentials: Credentials?, timeout: Duration
    ) async throws(FleetError) -> Request.Reply
}
