extension Scenario {
    /// What the Wi-Fi of each device does.
    public struct Network: Hashable, Sendable {
        /// How often it drops.
        public var drops: Rate
        /// How long, on average, a device is then without.
        public var meanTimeWithout: Duration

        /// A Wi-Fi of those values: of itself it never drops.
        public init(drops: Rate = .never, meanTimeWithout: Duration = .seconds(8)) {
            self.drops = drops
            self.meanTimeWithout = meanTimeWithout
        }
    }
}
