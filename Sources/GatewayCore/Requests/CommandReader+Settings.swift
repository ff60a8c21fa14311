public import FleetProtocol

extension CommandReader {
    /// Whether Climate React acts: `{"enabled":false}`.
    public func climateReactEnabled(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        .configure(.climateReactEnabled(try flag("enabled", of: try JSONInput.object(body))))
    }

    /// The whole of Climate React, as a pod object has it.
    ///
    /// A side whose threshold or state is null does nothing; it acts unless the body says otherwise.
    public func climateReact(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try JSONInput.object(body)
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

    /// What it sets in so many minutes: `{"minutesFromNow":30,"acState":{"on":false}}`.
    public func timer(_ body: [UInt8]) throws(APIError) -> Command.Kind {
        let members = try JSONInput.object(body)
        let seconds = (try number("minutesFromNow", of: members) * 60).rounded()
        guard let whole = UInt32(exactly: seconds), SettingChange.timerSeconds.contains(whole) else {
            throw .invalid(
                "minutesFromNow", "up to \(SettingChange.timerSeconds.upperBound / 60) are allowed")
        }
        return .configure(.timer(try change(members["acState"], "acState"), afterSeconds: whole))
    }

    private func side(
        _ members: [String: JSONInput], _ threshold: String, _ state: String
    ) throws(APIError) -> ClimateReact.Side? {
        guard let value = members[threshold], !value.isNull, let state = members[state], !state.isNull else {
            return nil
        }
        guard let tenths = Int16(exactly: (try number(threshold, of: members) * 10).rounded()) else {
            throw .invalid(threshold, value.shown)
        }
        return ClimateReact.Side(tenths: tenths, change: try change(state, "acState"))
    }

    func flag(_ name: String, of members: [String: JSONInput]) throws(APIError) -> Bool {
        guard let flag = members[name]?.flag else {
            throw .invalid(name, members[name].map(\.shown) ?? "missing")
        }
        return flag
    }

    func number(_ name: String, of members: [String: JSONInput]) throws(APIError) -> Double {
        guard let number = members[name]?.number else {
            throw .invalid(name, members[name].map(\.shown) ?? "missing")
        }
        return number
    }
}
