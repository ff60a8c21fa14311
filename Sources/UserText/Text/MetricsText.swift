/// Metrics in Prometheus' text format 0.0.4, which Prometheus, node_exporter's textfile collector and the
/// Pushgateway read. The last two do not read OpenMetrics: they would take its counters for untyped ones
/// without a help text.
public struct MetricsText: Sendable {
    public enum Kind: String, Sendable {
        /// A value that only grows.
        case counter
        case gauge
        case histogram
        /// Percentiles of values, with their sum and number.
        case summary
    }

    /// The media type of the text, for the header `Content-Type`.
    public static let contentType = "text/plain; version=0.0.4; charset=utf-8"

    public private(set) var text = ""

    public init() {}

    public mutating func family(_ name: String, _ kind: Kind, _ help: String) {
        text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    }

    /// Adds a family with the value of each item that has one.
    public mutating func family<Item, Value: Numeric>(
        _ name: String, _ kind: Kind, _ help: String, of items: [([(String, String)], Item)],
        _ value: (Item) -> Value?
    ) {
        family(name, kind, help)
        for (labels, item) in items {
            if let value = value(item) { self.value(name, labels, value) }
        }
    }

    public mutating func value(_ name: String, _ labels: [(String, String)], _ value: some Numeric) {
        text += "\(name)\(Self.braced(labels)) \(value)\n"
    }

    /// Adds a histogram to the family, with cumulative buckets, as Prometheus requires. The counts are not
    /// cumulative; one more than there are upper bounds is for the bound `+Inf`.
    public mutating func histogram(
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
