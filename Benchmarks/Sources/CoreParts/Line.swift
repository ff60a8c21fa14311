import Foundation

/// A line of the table: a measurement with its target.
package struct Line {
    /// The name of the measurement.
    package let what: String
    /// The result with its unit.
    package let measured: String
    /// The baseline with its unit and name; empty without one.
    package let baseline: String
    /// The ratio of result and baseline, in the sense of the target; empty without a baseline.
    package let ratio: String
    /// The target; empty without one.
    package let target: String
    /// Whether the target is met; nil without a target.
    package let isMet: Bool?

    /// Makes a line; without a target, nothing is judged.
    package init(
        what: String, measured: String, baseline: String = "", ratio: String = "", target: String = "",
        isMet: Bool? = nil
    ) {
        self.what = what
        self.measured = measured
        self.baseline = baseline
        self.ratio = ratio
        self.target = target
        self.isMet = isMet
    }

    /// The names of the columns.
    package static let heading = ["what", "measured", "compared with", "ratio", "target", "met"]

    /// The cells of the columns.
    package var cells: [String] {
        [what, measured, baseline, ratio, target, isMet.map { $0 ? "yes" : "no" } ?? ""]
    }

    /// Returns a line for a result with an upper bound.
    package static func bounded(
        _ what: String, _ figure: Double, atMost bound: Double?, digits: Int = 0, unit: String? = nil
    ) -> Line {
        let boundDigits = min(digits, 1)
        let suffix = unit.map { " \($0)" } ?? ""
        return Line(
            what: what, measured: text(figure, digits) + suffix,
            target: bound.map { "≤ \(text($0, boundDigits))\(suffix)" } ?? "",
            isMet: bound.map { figure <= $0 })
    }

    /// Returns a line that compares with libzmq in C; a ratio above 1 means that `Bus` is better.
    package static func compared(
        _ what: String, _ measured: String, _ baseline: String, ratio: Double
    ) -> Line {
        let target = 0.9
        return Line(
            what: what, measured: measured, baseline: "\(baseline), libzmq in C", ratio: text(ratio, 2),
            target: "≥ \(text(target, 1)) ×", isMet: ratio >= target)
    }

    /// Returns a number with a fixed number of decimals.
    package static func text(_ figure: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", figure)
    }
}
