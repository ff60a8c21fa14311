extension Scenario {
    /// Devices that lose their connection together at certain times of day, and come back together: a power
    /// cut, or an access point that starts again.
    public struct Herd: Hashable, Sendable {
        /// When they go, in the order of the day; at least one time.
        public let times: [TimeOfDay]
        /// Which part of all devices goes, above 0 and at most 1.
        public let part: Double
        /// How long they are away.
        public let away: Duration

        /// The herd of those values.
        ///
        /// - Precondition: There is a time.
        public init(times: [TimeOfDay], part: Double, away: Duration) {
            precondition(!times.isEmpty, "a herd goes at some time")
            self.times = times.sorted()
            self.part = part
            self.away = away
        }

        /// How long after a time of day they go next, simulated seconds: above 0, at most a day.
        public func secondsUntilNext(after time: TimeOfDay) -> Int {
            let waits = times.map { TimeOfDay(secondOfDay: $0.secondOfDay - time.secondOfDay).secondOfDay }
            let day = TimeOfDay.secondsPerDay
            return waits.reduce(day) { min($0, $1 == 0 ? day : $1) }
        }
    }
}
