/// The numbers of supervision.
enum SupervisionPolicy {
    /// The wait before a process that died before it served is started again; it doubles with each such
    /// death.
    ///
    /// It is the shortest time between two starts as well.
    static let firstDelay: Duration = .milliseconds(100)
    /// The longest such wait.
    static let longestDelay: Duration = .seconds(2)
    /// A life of this length brings the wait back to ``firstDelay``, however it ended.
    static let steadyLife: Duration = .seconds(10)
    /// From SIGTERM to SIGKILL.
    static let grace: Duration = .seconds(2)
    /// The head start of the observer, of the gateway and of the nodes, at the end of the fleet.
    ///
    /// Processes that hang are not waited for longer: with ``grace`` everything has ended within 3 s.
    static let headStarts: [ProcessRole: Duration] = [
        .observer: .milliseconds(300), .gateway: .milliseconds(300), .node: .milliseconds(600),
        .controller: grace,
    ]
}
