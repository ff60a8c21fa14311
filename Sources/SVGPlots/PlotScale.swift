import CMath

/// One axis of a plot: which values it spans, and where each lies on it.
public struct PlotScale: Sendable {
    /// How values are spread over the axis.
    public enum Kind: Sendable {
        /// Equal distances are equal differences, from zero on.
        case linear
        /// The same, from the least value on.
        case between
        /// The same for hours, from the first to the last, marked at each third one.
        case hours
        /// Equal distances are equal ratios; for values above zero.
        case logarithmic
        /// Equal distances are equal powers of the part that is left: for percentiles below 100.
        case percentile
    }

    /// A value that is marked.
    struct Tick: Equatable, Sendable {
        let value: Double
        let label: String
    }

    /// Numbers up to ten between which decades are marked.
    private static let steps: [Double] = [1, 2, 5]

    private let kind: Kind
    private let low: Double
    private let high: Double

    /// An axis over some values; those that cannot be shown are left out.
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

    /// Where a value lies, 0 to 1; nil when it cannot be shown.
    func position(of value: Double) -> Double? {
        Self.place(of: value, kind).map { ($0 - low) / (high - low) }
    }

    /// The marked values, each in words.
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
