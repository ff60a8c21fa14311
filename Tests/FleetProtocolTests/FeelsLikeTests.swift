import FleetProtocol
import Testing

@Suite("Feels-like temperature")
struct FeelsLikeTests {
    private static func feelsLike(_ celsius: Double, _ percent: Double) throws -> Double {
        try #require(
            Measurements(
                deciCelsius: Int16((celsius * 10).rounded()),
                humidityPermille: UInt16((percent * 10).rounded()),
                rssiDBm: -60)
        ).feelsLikeCelsius
    }

    @Test(
        "the feels-like temperature is that of recorded readings of real pods",
        arguments: [
            (27.8, 56.3, 28.8), (19.4, 54.1, 19.4), (20.2, 32.2, 20.2), (20.3, 62, 20.3), (21.2, 32.9, 21.2),
        ])
    func recorded(celsius: Double, percent: Double, expected: Double) throws {
        #expect(try Self.feelsLike(celsius, percent) == expected)
    }

    @Test(
        "the heat index is that of the National Weather Service's table, where it is above the temperature",
        arguments: [
            // °F in the table: 86 and 70 % are 95, 90 and 90 % are 122, 100 and 40 % are 109.
            (30.0, 70.0, 35.0), (32.2, 90, 49.9), (37.8, 40, 42.9),
            // Its first column has 80 °F, so cooler air feels like itself, and so does dry air.
            (25.5, 51.1, 25.5), (26, 80, 26), (30, 10, 30),
        ])
    func table(celsius: Double, percent: Double, expected: Double) throws {
        #expect(abs(try Self.feelsLike(celsius, percent) - expected) <= 0.3)
    }

    @Test("the hottest and most humid air has a feels-like temperature within its bounds")
    func bounds() throws {
        #expect(try Self.feelsLike(90, 100) == 945.4)
        #expect(try Self.feelsLike(-60, 0) == -60)
        #expect(Measurements(deciCelsius: .max, humidityPermille: 500, rssiDBm: -60) == nil)
        for celsius in stride(from: -60, through: 90, by: 0.5) {
            for percent in stride(from: 0.0, through: 100, by: 5) {
                #expect(try Self.feelsLike(celsius, percent) >= celsius)
            }
        }
    }
}
