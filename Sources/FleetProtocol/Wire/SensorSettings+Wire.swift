extension SensorCalibration: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        let (deciCelsius, humidityPermille) = try Self.added(wire: fields)
        self.init(deciCelsius: deciCelsius ?? 0, humidityPermille: humidityPermille ?? 0)
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, deciCelsius)
        fields.put(2, humidityPermille)
    }

    /// What is said of both.
    static func added(
        wire message: FieldReader
    ) throws(WireError) -> (deciCelsius: Int16?, humidityPermille: Int16?) {
        var fields = message
        var (temperature, humidity) = (Int32?.none, Int32?.none)
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&temperature)
            case 2: try fields.read(&humidity)
            default: break
            }
        }
        return (try checked(temperature), try checked(humidity))
    }

    private static func checked(_ value: Int32?) throws(WireError) -> Int16? {
        guard let value else { return nil }
        guard let added = Int16(exactly: value), tenths.contains(added) else {
            throw .malformed("calibration", "\(tenths.lowerBound) to \(tenths.upperBound) tenths")
        }
        return added
    }
}

extension PureBoost.Sensitivity: DefaultedWireEnum {}

extension PureBoost: WireFields {
    init(wire fields: consuming FieldReader) throws(WireError) {
        var (isEnabled, sensitivity, integrations) = (false, UInt32(0), UInt32(0))
        while let field = try fields.next() {
            switch field {
            case 1: try fields.read(&isEnabled)
            case 2: try fields.read(&sensitivity)
            case 3: try fields.read(&integrations)
            default: break
            }
        }
        guard let bits = UInt8(exactly: integrations), bits < 16 else {
            throw .malformed("pure_boost.integrations", "0 to 15, a bit for each")
        }
        self.init(
            isEnabled: isEnabled,
            sensitivity: try Sensitivity(
                wire: sensitivity, field: "pure_boost.sensitivity", expected: "normal or sensitive"),
            integrations: Integrations(rawValue: bits))
    }

    func write(to fields: inout FieldWriter) {
        fields.put(1, isEnabled)
        fields.put(2, sensitivity.wire)
        fields.put(3, integrations.rawValue)
    }
}
