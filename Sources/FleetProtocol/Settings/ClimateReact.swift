/// What a device sets by itself when its room leaves a range: Sensibo's Climate React.
///
/// It acts when a measurement is the first beyond a threshold. It does not act again before a measurement was
/// back within the range, so a user can set the device in between. Without thresholds it sets nothing.
public struct ClimateReact: Hashable, Sendable {
    /// What of the room it goes by.
    public enum Measure: UInt8, ACSetting {
        case temperature, humidity, feelsLike
    }

    /// A threshold, and what is set beyond it.
    public struct Side: Hashable, Sendable {
        /// The threshold in tenths of its measure's unit: degrees Celsius, or percent.
        public var tenths: Int16
        /// What is set; what it does not name stays as it is.
        public var change: ACStateChange

        /// That change beyond that threshold.
        public init(tenths: Int16, change: ACStateChange) {
            self.tenths = tenths
            self.change = change
        }
    }

    /// Whether it acts.
    public var isEnabled: Bool
    /// What of the room it goes by.
    public var measure: Measure
    /// What is set when the room is below a threshold; nil where nothing is.
    public var low: Side?
    /// What is set when the room is above a threshold; nil where nothing is.
    public var high: Side?

    /// The Climate React of those values.
    public init(isEnabled: Bool = true, measure: Measure = .temperature, low: Side?, high: Side?) {
        self.isEnabled = isEnabled
        self.measure = measure
        self.low = low
        self.high = high
    }

    /// Why a device cannot take it, in words that name the value and what is allowed; nil when it can.
    ///
    /// - Parameter state: What the device is set to; what changes do not name counts from it.
    public func objection(by capabilities: Capabilities, of state: ACState) -> String? {
        if let low, let high, low.tenths >= high.tenths {
            return "low threshold \(measure.words(low.tenths)): allowed is what is below the high threshold, "
                + measure.words(high.tenths)
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
            return "\(name) threshold \(measure.words(side.tenths)): \(measure.name) allows "
                + "\(measure.words(bounds.lowerBound)) to \(measure.words(bounds.upperBound))"
        }
        guard !side.change.isEmpty else {
            return "\(name) state: it sets nothing; at least one setting is allowed"
        }
        return capabilities.objection(to: side.change, of: state).map { "\(name) state: \($0)" }
    }
}

extension ClimateReact.Measure {
    /// The least and the most that a threshold may be, in tenths of its unit.
    public var boundsTenths: ClosedRange<Int16> {
        switch self {
        case .temperature, .feelsLike: Measurements.deciCelsiusBounds
        case .humidity: 0...Int16(Measurements.humidityPermilleBounds.upperBound)
        }
    }

    /// So many tenths with their unit: `19.5 °C`, `60.0 %`.
    public func words(_ tenths: Int16) -> String {
        "\(Double(tenths) / 10) \(self == .humidity ? "%" : TemperatureUnit.celsius.symbol)"
    }

    /// What a pod has measured of it, in tenths of its unit.
    public func tenths(of measurements: Measurements) -> Int16 {
        switch self {
        case .temperature: measurements.deciCelsius
        case .humidity: Int16(measurements.humidityPermille)
        case .feelsLike: measurements.feelsLikeDeciCelsius
        }
    }
}
