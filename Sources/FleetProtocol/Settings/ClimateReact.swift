/// A device's Climate React: the changes that it makes when its room leaves a range.
///
/// It acts when a measurement is the first beyond a threshold. It acts again only after a measurement was
/// back within the range, so a user can set the device in between. Without thresholds it changes nothing.
public struct ClimateReact: Hashable, Sendable {
    /// A threshold, and the change beyond it.
    public struct Side: Hashable, Sendable {
        /// The threshold in tenths of its measure's unit: degrees Celsius, or percent.
        public var tenths: Int16
        /// The change; settings that are nil keep their values.
        public var change: ACStateChange

        /// A change beyond a threshold.
        public init(tenths: Int16, change: ACStateChange) { (self.tenths, self.change) = (tenths, change) }
    }

    /// Whether it is enabled.
    public var isEnabled: Bool
    /// The measurement that it uses.
    public var measure: Measure
    /// The change when the room is below a threshold; nil for none.
    public var low: Side?
    /// The change when the room is above a threshold; nil for none.
    public var high: Side?

    /// Climate React with the given values.
    public init(isEnabled: Bool = true, measure: Measure = .temperature, low: Side?, high: Side?) {
        (self.isEnabled, self.measure, self.low, self.high) = (isEnabled, measure, low, high)
    }

    /// Returns why a device does not support it, with the value and the allowed values; nil if it does.
    ///
    /// - Parameters:
    ///   - capabilities: What the device supports.
    ///   - state: The device's state, which has the values of settings that the changes omit.
    public func objection(by capabilities: Capabilities, of state: ACState) -> String? {
        if let low, let high, low.tenths >= high.tenths {
            return "low threshold \(measure.text(low.tenths)): it must be below the high threshold, "
                + measure.text(high.tenths)
        }
        return objection(to: low, "low", capabilities, state)
            ?? objection(to: high, "high", capabilities, state)
    }

    private func objection(
        to side: Side?, _ name: String, _ capabilities: Capabilities, _ state: ACState
    ) -> String? {
        guard let side else { return nil }
        let bounds = measure.boundsTenths
        guard bounds.contains(side.tenths) else {
            return "\(name) threshold \(measure.text(side.tenths)): \(measure.name) allows "
                + "\(measure.text(bounds.lowerBound)) to \(measure.text(bounds.upperBound))"
        }
        guard !side.change.isEmpty else {
            return "\(name) state: it is empty; at least one setting is required"
        }
        return capabilities.objection(to: side.change, of: state).map { "\(name) state: \($0)" }
    }
}

extension ClimateReact.Measure {
    /// The allowed thresholds, in tenths of the unit.
    public var boundsTenths: ClosedRange<Int16> {
        switch self {
        case .temperature, .feelsLike: Measurements.deciCelsiusBounds
        case .humidity: 0...Int16(Measurements.humidityPermilleBounds.upperBound)
        }
    }

    /// Formats tenths with their unit: `19.5 °C`, `60.0 %`.
    public func text(_ tenths: Int16) -> String {
        "\(Double(tenths) / 10) \(self == .humidity ? "%" : TemperatureUnit.celsius.symbol)"
    }

    /// Returns the measured value in tenths of the unit.
    public func tenths(of measurements: Measurements) -> Int16 {
        switch self {
        case .temperature: measurements.deciCelsius
        case .humidity: Int16(measurements.humidityPermille)
        case .feelsLike: measurements.feelsLikeDeciCelsius
        }
    }
}

extension ClimateReact.Measure: ACSetting {}
