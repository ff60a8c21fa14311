import Testing

@testable import DeviceCore

@Suite("The weather")
struct ClimateWeatherTests {
    private let outdoors = Outdoors(meanCelsius: 20, halfSwingKelvin: 8, hottestHour: 15, dewPointCelsius: 14)

    @Test("the weather is warmest at its hottest hour, coldest half a day later, and the same every day")
    func sinusoid() {
        #expect(outdoors.celsius(atSecondOfDay: 15 * 3_600) == 28)
        #expect(abs(outdoors.celsius(atSecondOfDay: 3 * 3_600) - 12) < 1e-9)
        #expect(abs(outdoors.celsius(atSecondOfDay: 9 * 3_600) - 20) < 1e-9)
        #expect(abs(outdoors.celsius(atSecondOfDay: 39 * 3_600) - 28) < 1e-9)
    }

    @Test("the humidity ratio outside is constant, except where dew falls")
    func dew() {
        let day = outdoors.humidityRatio(atSecondOfDay: 15 * 3_600)
        let night = outdoors.humidityRatio(atSecondOfDay: 3 * 3_600)
        #expect(day == MoistAir.saturatedRatio(celsius: 14))
        #expect(night < day)
        #expect(MoistAir.relativeHumidityPercent(celsius: 12, ratio: night) > 99.999)
    }
}
