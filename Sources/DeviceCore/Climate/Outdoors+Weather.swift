import Glibc

extension Outdoors {
    /// The weather of a scenario: its humidity holds at the mean temperature, and the dew point stays.
    init(_ weather: Scenario.Weather) {
        let dewPoint = MoistAir.dewPointCelsius(
            celsius: weather.meanCelsius, relativeHumidityPercent: weather.humidityPercent)
        self.init(
            meanCelsius: weather.meanCelsius, halfSwingKelvin: weather.swingKelvin,
            hottestHour: Double(weather.hottest.secondOfDay) / 3_600,
            dewPointCelsius: dewPoint.clamped(to: Self.dewPointBounds))
    }
}
