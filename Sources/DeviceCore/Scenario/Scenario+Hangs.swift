extension Scenario {
    /// How devices stop answering for a while, though they stay connected.
    public struct Hangs: Hashable, Sendable {
        /// How often each does.
        public var rate: Rate
        /// For how long.
        public var lasting: Duration

        /// Hangs of those values: of themselves never.
        public init(rate: Rate = .never, lasting: Duration = .seconds(30)) {
            self.rate = rate
            self.lasting = lasting
        }
    }
}
