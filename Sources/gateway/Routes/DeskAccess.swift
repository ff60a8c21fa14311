import Hummingbird

/// How whoever asks for what stands around the list of devices is let in: sites, sequences, the roster.
protocol DeskAccess: Sendable {
    /// Whoever asks.
    ///
    /// - Throws: `HTTPError` of status 401 or 403 where nobody knows them; 503 without a controller.
    func visitor(_ request: Request) async throws -> Access.Visitor

    /// Whoever asks, and may change something as far as it depends on how they ask.
    ///
    /// - Throws: As ``visitor(_:)``, and status 403.
    func author(_ request: Request) async throws -> Access.Visitor
}
