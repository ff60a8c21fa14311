public import FleetProtocol
import UserText

extension CommandReader {
    /// Decodes whether Climate React is enabled: `{"enabled":false}`.
    public func climateReactEnabled(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        .configure(.climateReactEnabled(try flag("enabled", of: try members(of: body, ["enabled"]))))
    }

    /// Decodes complete Climate React settings, as a pod object has them; settings that the body omits are
    /// cleared. Without `enabled` Climate React is on. A side without threshold and state does nothing.
    public func climateReact(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try members(
            of: body,
            [
                "enabled", "type", "deviceUid", "lowTemperatureThreshold", "lowTemperatureState",
                "highTemperatureThreshold", "highTemperatureState", "sync_with_ac_power",
            ])
        if let isSynchronized = members["sync_with_ac_power"], !isSynchronized.isNull {
            guard isSynchronized.flag == false else {
                throw .invalid("sync_with_ac_power", "\(isSynchronized.shown): only false is supported")
            }
        }
        let type = members["type"] ?? .string(ClimateReact.Measure.temperature.name)
        guard let measure = ClimateReact.Measure(name: type.text ?? "") else {
            throw .invalid("type", "Invalid type \(type.shown)")
        }
        let settings = ClimateReact(
            isEnabled: members["enabled"] == nil ? true : try flag("enabled", of: members), measure: measure,
            low: try side(members, "lowTemperatureThreshold", "lowTemperatureState"),
            high: try side(members, "highTemperatureThreshold", "highTemperatureState"))
        return .configure(.climateReact(settings))
    }

    /// Decodes a timer: `{"minutesFromNow":30,"acState":{"on":false}}`.
    public func timer(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try members(of: body, ["minutesFromNow", "acState"])
        let seconds = try number("minutesFromNow", of: members) * 60
        let bounds = SettingChange.timerSeconds
        guard seconds >= Double(bounds.lowerBound), seconds <= Double(bounds.upperBound) else {
            throw .invalid("minutesFromNow", "expected 1 to \(bounds.upperBound / 60)")
        }
        return .configure(
            .timer(try change(members["acState"], "acState"), afterSeconds: UInt32(seconds.rounded())))
    }

    /// Decodes calibration offsets: `{"temperature":0.1}`, `{"humidity":-1}`, or both.
    public func calibration(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try members(of: body, ["temperature", "humidity"])
        let change = SettingChange.calibration(
            deciCelsius: try offset("temperature", of: members),
            humidityPermille: try offset("humidity", of: members))
        guard change != .calibration(deciCelsius: nil, humidityPermille: nil) else {
            throw .invalid("temperature", "missing: temperature or humidity is required")
        }
        return .configure(change)
    }

    /// Decodes Pure Boost settings: `{"enabled":true,"sensitivity":"S","acIntegration":true}`; omitted
    /// settings are unchanged.
    public func pureBoost(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try members(
            of: body,
            [
                "enabled", "sensitivity", "measurementsIntegration", "acIntegration", "geoIntegration",
                "primeIntegration",
            ])
        var settings = pod.pureBoost ?? .usual
        if members["enabled"] != nil { settings.isEnabled = try flag("enabled", of: members) }
        if let sensitivity = members["sensitivity"] {
            switch sensitivity.text?.uppercased() {
            case "N": settings.sensitivity = .normal
            case "S": settings.sensitivity = .sensitive
            default: throw .invalid("sensitivity", "expected N or S")
            }
        }
        let integrations: [(String, PureBoost.Integrations)] = [
            ("measurementsIntegration", .measurements), ("acIntegration", .airConditioners),
            ("geoIntegration", .geofence), ("primeIntegration", .prime),
        ]
        for (name, integration) in integrations where members[name] != nil {
            if try flag(name, of: members) {
                settings.integrations.insert(integration)
            } else {
                settings.integrations.remove(integration)
            }
        }
        return .configure(.pureBoost(settings))
    }

    private func offset(_ name: String, of members: [String: JSONTree]) throws(APIError) -> Int16? {
        guard let value = members[name], !value.isNull else { return nil }
        let tenths = try number(name, of: members) * 10
        let bounds = SensorCalibration.tenths
        guard tenths >= Double(bounds.lowerBound), tenths <= Double(bounds.upperBound) else {
            throw .invalid(name, "expected \(bounds.lowerBound / 10) to \(bounds.upperBound / 10)")
        }
        return Int16(tenths.rounded())
    }

    private func side(
        _ members: [String: JSONTree], _ threshold: String, _ state: String
    ) throws(APIError) -> ClimateReact.Side? {
        let (value, wanted) = (members[threshold] ?? .null, members[state] ?? .null)
        if value.isNull, wanted.isNull { return nil }
        guard !value.isNull else { throw .invalid(threshold, "missing, but \(state) is given") }
        guard !wanted.isNull else { throw .invalid(state, "missing, but \(threshold) is given") }
        guard let tenths = Int16(exactly: (try number(threshold, of: members) * 10).rounded()) else {
            throw .invalid(threshold, value.shown)
        }
        return ClimateReact.Side(tenths: tenths, change: try change(wanted, "acState"))
    }

    func flag(_ name: String, of members: [String: JSONTree]) throws(APIError) -> Bool {
        guard let flag = members[name]?.givenFlag else {
            throw .invalid(name, members[name].map(\.shown) ?? "missing")
        }
        return flag
    }

    func number(_ name: String, of members: [String: JSONTree]) throws(APIError) -> Double {
        guard let number = members[name]?.givenNumber else {
            throw .invalid(name, members[name].map(\.shown) ?? "missing")
        }
        return number
    }
}
