import Glibc

extension Scenario {
    /// The air outside: a sine over the day.
    public struct Weather: Hashable, Sendable {
        /// The temperature of the day's mean, °C: -40 to 55.
        public var meanCelsius: Double
        /// Half of what is between the coldest and the hottest of the day, K: 0 to 25.
        public var swingKelvin: Double
        /// When it is hottest.
        public var hottest: TimeOfDay
        /// Relative humidity, percent.
        public var humidityPercent: Double

        /// The weather of those values: of itself 22 °C all day, and 50 %.
        public init(
            meanCelsius: Double = 22, swingKelvin: Double = 0,
            hottest: TimeOfDay = TimeOfDay(secondOfDay: 15 * 3_600), humidityPercent: Double = 50
        ) {
            self.meanCelsius = meanCelsius
            self.swingKelvin = swingKelvin
            self.hottest = hottest
            self.humidityPercent = humidityPercent
        }

        /// The temperature at a time of day, °C.
        public func celsius(at time: TimeOfDay) -> Double {
            let turn = Double(time.secondOfDay - hottest.secondOfDay) / Double(TimeOfDay.secondsPerDay)
            return meanCelsius + swingKelvin * cos(2 * .pi * turn)
        }
    }
}
