public import FleetClient

extension FleetConnection {
    /// The sockets to which a client connects.
    ///
    /// - Throws: As ``endpoint(_:)``.
    public var clientEndpoints: FleetClient.Endpoints {
        get throws(RuntimeError) {
            FleetClient.Endpoints(
                clients: try endpoint(.clients), stream: try endpoint(.stream), security: security)
        }
    }
}
