public import FleetProtocol

extension Measurements {
    /// The temperature for people: `23.4 °C`.
    public var celsiusWords: String { "\(celsius) °C" }

    /// Its members in JSON, in degrees Celsius, percent and dBm.
    public var members: [JSONValue.Member] {
        [
            .init("temperature", .number(celsius)), .init("humidity", .number(humidityPercent)),
            .init("feelsLike", .number(feelsLikeCelsius)), .init("rssi", .integer(Int64(rssiDBm))),
        ]
    }
}
