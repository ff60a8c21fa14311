extension Scenario {
    /// What happens to the processes that host devices.
    public struct Nodes: Hashable, Sendable {
        /// How often each one crashes.
        public var crashes: Rate

        /// Nodes that crash so often: of themselves never.
        public init(crashes: Rate = .never) {
            self.crashes = crashes
        }
    }
}
