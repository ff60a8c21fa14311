extension Measurements {
    /// The measurements of a pod in air of that temperature and humidity; nil when a value is out of its
    /// bounds.
    ///
    /// It feels like the temperature, or like the heat index of the US National Weather Service where that is
    /// higher. The recorded readings of real pods fit that rule. None of them is between 22 and 27 °C, so
    /// the start of the heat index, which is the service's own 80 °F, is inferred.
    public init?(deciCelsius: Int16, humidityPermille: UInt16, rssiDBm: Int8) {
        guard Self.deciCelsiusBounds.contains(deciCelsius),
            Self.humidityPermilleBounds.contains(humidityPermille)
        else { return nil }
        let fahrenheit = Double(deciCelsius) / 10 * 9 / 5 + 32
        let index = Self.heatIndex(fahrenheit, Double(humidityPermille) / 10) ?? fahrenheit
        self.init(
            deciCelsius: deciCelsius,
            feelsLikeDeciCelsius: max(deciCelsius, Int16(((index - 32) * 5 / 9 * 10).rounded())),
            humidityPermille: humidityPermille, rssiDBm: rssiDBm)
    }

    /// The heat index of a temperature and a humidity in percent, in degrees Fahrenheit: the regression of
    /// Rothfusz (Technical Attachment SR 90-23) with the service's adjustments; nil where the service's
    /// simple formula is below 80 °F.
    private static func heatIndex(_ t: Double, _ r: Double) -> Double? {
        let simple = 0.5 * (t + 61 + (t - 68) * 1.2 + r * 0.094)
        guard (simple + t) / 2 >= 80 else { return nil }
        let index =
            -42.379 + 2.049_015_23 * t + 10.143_331_27 * r - 0.224_755_41 * t * r
            - 0.006_837_83 * t * t - 0.054_817_17 * r * r + 0.001_228_74 * t * t * r
            + 0.000_852_82 * t * r * r - 0.000_001_99 * t * t * r * r
        if r < 13, t <= 112 { return index - (13 - r) / 4 * ((17 - abs(t - 95)) / 17).squareRoot() }
        if r > 85, t <= 87 { return index + (r - 85) / 10 * (87 - t) / 5 }
        return index
    }
}
