extension Scenario {
    /// How devices start again.
    public struct Reboots: Hashable, Sendable {
        /// How often each does.
        public var rate: Rate
        /// How long it is away.
        public var lasting: Duration
        /// How likely it has then forgotten everything, 0 to 1.
        public var memoryLoss: Double

        /// Reboots of those values: of themselves never.
        public init(rate: Rate = .never, lasting: Duration = .seconds(20), memoryLoss: Double = 0) {
            self.rate = rate
            self.lasting = lasting
            self.memoryLoss = memoryLoss
        }
    }
}
