public import FleetProtocol

/// Metrics as Prometheus reads them (text format 0.0.4).
public struct MetricsText: Sendable {
    /// What a family of metrics is.
    public enum Kind: String, Sendable {
        /// It only grows.
        case counter
        /// It goes up and down.
        case gauge
        /// Counts by how large they are.
        case histogram
    }

    /// What the text is, for the header of an answer.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    /// The text so far.
    public private(set) var text = ""

    /// A text of nothing.
    public init() {}

    /// Begins a family: its name, what it is, and what it tells.
    public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a value to the family.
    public mutating func value(_ name: String, _ labels: [(String, String)], _ value: UInt64) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// Adds a value to the family.
    public mutating func value(_ name: String, _ labels: [(String, String)], _ value: Double) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// Adds a histogram to the family.
    public mutating func histogram(
        _ name: String, _ labels: [(String, String)], _ histogram: DurationHistogram
    ) {
        self.histogram(
            name, labels, bounds: DurationHistogram.bounds, counts: histogram.counts, sum: histogram.sum)
    }

    /// Adds a histogram to the family that another process has counted.
    public mutating func histogram(
        _ name: String, _ labels: [(String, String)], _ counts: DurationCounts
    ) {
        histogram(
            name, labels, bounds: DurationCounts.boundsUs.map { Double($0) / 1_000_000 },
            counts: counts.counts, sum: Double(counts.sumUs) / 1_000_000)
    }

    /// A line for each bucket has all that is in it and in those before it; the last has no bound.
    private mutating func histogram(
        _ name: String, _ labels: [(String, String)], bounds: [Double], counts: [UInt64], sum: Double
    ) {
        var total: UInt64 = 0
        for (place, count) in counts.enumerated() {
            total &+= count
            let bound = place < bounds.count ? "\(bounds[place])" : "+Inf"
            value("\(name)_bucket", labels + [("le", bound)], total)
        }
        value("\(name)_sum", labels, sum)
        value("\(name)_count", labels, total)
    }

    private static func braced(_ labels: [(String, String)]) -> String {
        guard !labels.isEmpty else { return "" }
        return "{" + labels.map { "\($0)=\"\(escaped($1))\"" }.joined(separator: ",") + "}"
    }

    private static func escaped(_ text: String) -> String {
        var result = ""
        for character in text.unicodeScalars {
            switch character {
            case "\\": result += "\\\\"
            case "\"": result += "\\\""
            case "\n": result += "\\n"
            default: result.unicodeScalars.append(character)
            }
        }
        return result
    }
}
