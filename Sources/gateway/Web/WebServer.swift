import FleetClient
import Hummingbird
import Stepping

/// All that is served.
enum WebServer {
    /// The routes over a fleet.
    ///
    /// - Parameters:
    ///   - processes: What else there is to be measured.
    ///   - keys: The requests that clients of Sensibo's API have named.
    ///   - exposure: Who can reach it, and by which names.
    ///   - isLimited: Whether Sensibo's API turns away who asks too often.
    ///   - cloud: What goes wrong with Sensibo's API, and with nothing else.
    ///   - clock: Tells the time.
    static func router(
        fleet: FleetLink, processes: FleetProcesses, keys: KeyBook, exposure: Exposure, isLimited: Bool,
        cloud: Cloud,
        clock: @escaping @Sendable () -> Moment
    ) -> Router<GatewayContext> {
        let router = Router(context: GatewayContext.self, options: .autoGenerateHeadEndpoints)
        let access = Access(client: fleet.client, mirrors: fleet.mirrors)
        let sources = LoginSources(trusting: exposure.trustedProxies, isSecure: exposure.isSecure)
        let page = PageAccess(access: access, isSecure: exposure.isSecure, sources: sources)
        let meter = RequestMeter(clock: clock)
        router.add(middleware: meter)
        router.add(middleware: SecurityHeaders(isSecure: exposure.isSecure))
        router.add(middleware: OwnOrigin(hosts: exposure.hosts))
        router.add(middleware: CrossOrigin())
        let watched = router.group()
        if !exposure.isLocal { watched.add(middleware: KeyNeeded(keys: KeyAccess(access: access))) }
        HealthRoutes(fleet: fleet).add(to: router, watched: watched)
        MetricsRoutes(
            fleet: fleet, processes: processes, meter: meter, cloud: cloud, page: MetricsPage(clock: clock)
        ).add(to: watched)
        PageFiles().add(to: router)
        SessionRoutes(page: page, client: fleet.client).add(to: router)
        WayInRoutes(page: page, client: fleet.client).add(to: router)
        DeviceRoutes(page: page, client: fleet.client).add(to: router)
        LiveRoutes(page: page, clock: clock).add(to: router)
        let door = Door(
            access: access, client: fleet.client, isLimited: isLimited, cloud: cloud, keys: keys,
            clock: clock)
        DoorRoutes(door: door, sources: sources).add(to: router)
        PropertyRoutes(
            access: AnyAccess(keys: KeyAccess(access: access), page: page), client: fleet.client
        ).add(to: router)
        LogbookRoutes(door: door, page: page, client: fleet.client).add(to: router)
        addDesk(page, client: fleet.client, clock: clock, to: router.group("page"))
        addDesk(KeyAccess(access: access), client: fleet.client, clock: clock, to: router)
        return router
    }

    /// What stands around the list of devices: the same for the page and for programs, which come in by doors
    /// of their own.
    private static func addDesk(
        _ access: any DeskAccess, client: FleetClient, clock: @escaping @Sendable () -> Moment,
        to router: some RouterMethods<GatewayContext>
    ) {
        SiteRoutes(access: access, client: client).add(to: router)
        SequenceRoutes(access: access, client: client).add(to: router)
        RosterRoutes(access: access, client: client, clock: clock).add(to: router)
    }
}
