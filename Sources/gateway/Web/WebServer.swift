import Hummingbird

/// All that is served.
enum WebServer {
    /// The routes over a fleet.
    ///
    /// - Parameter isSecure: Whether browsers come over TLS.
    static func router(fleet: FleetLink, isSecure: Bool) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        let access = Access(client: fleet.client, mirrors: fleet.mirrors)
        let page = PageAccess(access: access, isSecure: isSecure)
        router.add(middleware: SecurityHeaders())
        HealthRoutes(fleet: fleet).add(to: router)
        PageFiles().add(to: router)
        SessionRoutes(page: page, client: fleet.client).add(to: router)
        DeviceRoutes(page: page, client: fleet.client).add(to: router)
        LiveRoutes(page: page).add(to: router)
        return router
    }
}
