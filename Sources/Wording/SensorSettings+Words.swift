public import FleetProtocol

extension SensorCalibration {
    /// What is added, for people: `calibration: +0.5 °C, -2.0 %`.
    public var words: String {
        "calibration: \(Self.words(deciCelsius, "°C")), \(Self.words(humidityPermille, "%"))"
    }

    static func words(_ tenths: Int16, _ unit: String) -> String {
        "\(tenths > 0 ? "+" : "")\(Double(tenths) / 10) \(unit)"
    }

    var json: JSONValue {
        .object([
            .init("temperature", .number(Double(deciCelsius) / 10)),
            .init("humidity", .number(Double(humidityPermille) / 10)),
        ])
    }
}

extension PureBoost {
    /// How it is set, for people: `pure boost: sensitive, by measurements, geofence`.
    public var words: String {
        let names = integrations.names
        let others = names.isEmpty ? "" : ", by \(names.joined(separator: ", "))"
        return isEnabled ? "pure boost: \(sensitivity.name)\(others)" : "pure boost off"
    }

    var json: JSONValue {
        .object([
            .init("enabled", .bool(isEnabled)), .init("sensitivity", .string(sensitivity.name)),
            .init("integrations", .array(integrations.names.map { .string($0) })),
        ])
    }
}

extension PureBoost.Integrations {
    private static let all: [(Self, name: String)] = [
        (.measurements, "measurements"), (.airConditioners, "airConditioners"), (.geofence, "geofence"),
        (.prime, "prime"),
    ]

    /// The word of each that is in it.
    fileprivate var names: [String] { Self.all.filter { contains($0.0) }.map(\.name) }
}
