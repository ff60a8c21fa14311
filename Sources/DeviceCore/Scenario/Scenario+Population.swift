extension Scenario {
    /// Which devices there are, and where.
    public struct Population: Hashable, Sendable {
        /// The groups, at least one.
        public let groups: [Group]

        /// The population of those groups: of itself one, of devices that are all alike.
        ///
        /// - Precondition: There is a group.
        public init(groups: [Group] = [Group()]) {
            precondition(!groups.isEmpty, "a population has a group")
            self.groups = groups
        }
    }
}
