extension Scenario {
    /// What becomes of infrared between a device and its air conditioner.
    public struct Infrared: Hashable, Sendable {
        /// How likely a signal does not arrive, 0 to 1.
        public var loss: Double

        /// Infrared that is lost so often: of itself never.
        public init(loss: Double = 0) {
            self.loss = loss
        }
    }
}
