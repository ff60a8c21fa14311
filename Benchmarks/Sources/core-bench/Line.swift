import Foundation

/// A line of the table: what was measured, beside what it should be.
struct Line {
    /// What was measured.
    let what: String
    /// The figure with its unit.
    let measured: String
    /// What it is compared with, with its unit and its name; empty where it is compared with nothing.
    var baseline = ""
    /// The figure's relation to the baseline, as the target has it; empty without a baseline.
    var ratio = ""
    /// What it should be; empty where nobody has said.
    var target = ""
    /// Whether it is; nil without a target.
    var isMet: Bool?

    /// The names of the columns.
    static let heading = ["what", "measured", "compared with", "ratio", "target", "met"]

    /// The texts of the columns.
    var cells: [String] {
        [what, measured, baseline, ratio, target, isMet.map { $0 ? "yes" : "no" } ?? ""]
    }

    /// A figure that should not be above a bound.
    static func bounded(
        _ what: String, _ figure: Double, atMost bound: Double?, digits: Int = 0, unit: String? = nil
    ) -> Line {
        let boundDigits = min(digits, 1)
        let ending = unit.map { " \($0)" } ?? ""
        return Line(
            what: what, measured: text(figure, digits) + ending,
            target: bound.map { "≤ \(text($0, boundDigits))\(ending)" } ?? "",
            isMet: bound.map { figure <= $0 })
    }

    /// A figure beside bare libzmq's; the ratio is above 1 where the figure is the better one.
    static func compared(_ what: String, _ measured: String, _ baseline: String, ratio: Double) -> Line {
        let target = 0.9
        return Line(
            what: what, measured: measured, baseline: "\(baseline), libzmq in C", ratio: text(ratio, 2),
            target: "≥ \(text(target, 1)) ×", isMet: ratio >= target)
    }

    /// A figure with so many digits behind the point.
    static func text(_ figure: Double, _ digits: Int) -> String {
        String(format: "%.\(digits)f", figure)
    }
}
