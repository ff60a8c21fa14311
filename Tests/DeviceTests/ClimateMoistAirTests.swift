import Testing

@testable import DeviceCore

@Suite("Moist air")
struct ClimateMoistAirTests {
    /// The vapour pressure of water in hPa by temperature: CRC Handbook of Chemistry and Physics, 85th
    /// edition.
    private static let tabulated = [
        (0.0, 6.113), (5, 8.726), (10, 12.281), (15, 17.056), (20, 23.388), (25, 31.690), (30, 42.455),
        (35, 56.267), (40, 73.814), (45, 95.898), (50, 123.44),
    ]

    @Test("the saturation pressure of water vapour agrees with tables within 0.3 %", arguments: tabulated)
    func saturation(celsius: Double, hPa: Double) {
        #expect(abs(MoistAir.saturationHPa(celsius: celsius) / hPa - 1) < 0.003)
    }

    @Test("saturated air of 20 °C has 14.7 g of water per kilogram")
    func saturatedRatio() {
        // ASHRAE Fundamentals, chapter 1, table of moist air.
        #expect(abs(MoistAir.saturatedRatio(celsius: 20) - 0.0147) < 0.000_1)
    }

    @Test(
        "relative humidity is consistent between vapour pressure and humidity ratio",
        arguments: [-20.0, 0, 25, 60, 90])
    func roundTrip(celsius: Double) {
        let ratio = MoistAir.saturatedRatio(celsius: celsius)
        let vapour = MoistAir.vapourHPa(ratio: ratio)
        #expect(abs(vapour / MoistAir.saturationHPa(celsius: celsius) - 1) < 1e-12)
        let half = MoistAir.relativeHumidityPercent(celsius: celsius, ratio: ratio / 2)
        #expect(half > 50 && half <= 100)
    }

    @Test("relative humidity is limited to 0 to 100 %")
    func clamped() {
        #expect(MoistAir.relativeHumidityPercent(celsius: 20, ratio: 0) == 0)
        #expect(MoistAir.relativeHumidityPercent(celsius: 20, ratio: 0.1) == 100)
    }

    @Test("the humidity ratios of the rating and of the coil follow from their temperatures")
    func rating() {
        // 27 °C with a wet bulb of 19 °C, by the psychrometric equation of ASHRAE Fundamentals, chapter 1.
        let wet = MoistAir.saturatedRatio(celsius: 19)
        let rated = ((2_501 - 2.326 * 19) * wet - 1.006 * (27 - 19)) / (2_501 + 1.86 * 27 - 4.186 * 19)
        #expect(abs(Room.ratedRatio - rated) < 0.000_1)
        #expect(abs(Room.coilRatio - MoistAir.saturatedRatio(celsius: 11)) < 0.000_1)
    }
}
