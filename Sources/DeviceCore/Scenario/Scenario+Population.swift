import FleetProtocol

extension Scenario {
    /// Which devices there are, and where.
    public struct Population: Hashable, Sendable {
        /// The groups, at least one.
        public let groups: [Group]

        /// The population of those groups: of itself one, of devices that are all alike.
        ///
        /// - Precondition: There is a group, and at most ``Limits/nodeGroups``.
        public init(groups: [Group] = [Group()]) {
            precondition(
                (1...Limits.nodeGroups).contains(groups.count),
                "a population has 1 to \(Limits.nodeGroups) groups")
            self.groups = groups
        }
    }
}
