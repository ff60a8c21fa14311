import CMath

/// One axis of a plot: the range of its values, and the position of each.
public struct PlotScale: Sendable {
    /// The scale of an axis.
    public enum Kind: Sendable {
        /// Linear, from zero.
        case linear
        /// Linear, from the smallest value.
        case between
        /// Linear in hours, from the first to the last, with a tick every three hours.
        case hours
        /// Logarithmic, for values above zero.
        case logarithmic
        /// Logarithmic in the remaining part: for percentiles below 100.
        case percentile
    }

    struct Tick: Equatable, Sendable {
        let value: Double
        let label: String
    }

    /// The multiples of a power of ten that are marked.
    private static let steps: [Double] = [1, 2, 5]

    private let kind: Kind
    private let low: Double
    private let high: Double

    /// An axis for the given values; those that it cannot show are left out.
    init(_ kind: Kind, over values: [Double]) {
        let places = values.compactMap { Self.place(of: $0, kind) }
        let (least, most) = (places.min() ?? 0, places.max() ?? 1)
        self.kind = kind
        switch kind {
        case .linear: (low, high) = (min(0, least), most > 0 ? most * 1.05 : 1)
        case .between:
            let margin = max((most - least) * 0.05, 0.5)
            (low, high) = (least - margin, most + margin)
        case .hours: (low, high) = (least, max(most, least + 1))
        case .logarithmic: (low, high) = (least - 0.05, max(most, least + 0.3) + 0.05)
        case .percentile: (low, high) = (0, max(most, 1))
        }
    }

    /// Returns the position of a value, 0 to 1; nil if the axis cannot show it.
    func position(of value: Double) -> Double? {
        Self.place(of: value, kind).map { ($0 - low) / (high - low) }
    }

    func ticks(_ label: (Double) -> String) -> [Tick] {
        let values: [Double] =
            switch kind {
            case .linear, .between: linearTicks
            case .hours: Array(stride(from: (low / 3).rounded(.up) * 3, through: high, by: 3))
            case .logarithmic: logarithmicTicks
            case .percentile: (0...Int(high)).map { 100 - pow(10, 2 - Double($0)) }
            }
        return values.map { Tick(value: $0, label: label($0)) }
    }

    private var linearTicks: [Double] {
        let rough = (high - low) / 5
        let decade = pow(10, log10(rough).rounded(.down))
        let step = (Self.steps + [10]).map { $0 * decade }.first { $0 >= rough } ?? 10 * decade
        return Array(stride(from: (low / step).rounded(.up) * step, through: high, by: step))
    }

    private var logarithmicTicks: [Double] {
        let isWide = high - low > 3
        return (Int(low.rounded(.down))...Int(high.rounded(.up))).flatMap { exponent in
            (isWide ? [1] : Self.steps).map { $0 * pow(10, Double(exponent)) }
        }.filter { (low...high).contains(log10($0)) }
    }

    private static func place(of value: Double, _ kind: Kind) -> Double? {
        switch kind {
        case .linear, .between, .hours: value
        case .logarithmic: value > 0 ? log10(value) : nil
        case .percentile: value < 100 ? 2 - log10(100 - value) : nil
        }
    }
}
