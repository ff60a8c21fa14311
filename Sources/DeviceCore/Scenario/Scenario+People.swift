extension Scenario {
    /// What people do, for each device.
    public struct People: Hashable, Sendable {
        /// How often somebody switches it on or off with the app.
        public var switches: Rate
        /// How often somebody uses its hand remote.
        public var handRemotes: Rate

        /// People of those habits: of themselves they do nothing.
        public init(switches: Rate = .never, handRemotes: Rate = .never) {
            self.switches = switches
            self.handRemotes = handRemotes
        }
    }
}
