public enum LoadRequestKind: String, CaseIterable, Codable, Sendable {
    case toggle
    /// A device is switched on or off, whichever of both its state is.
    case set
    /// The first part of the list of devices is read.
    case read
    /// A device is toggled, and the toggle is cancelled soon after.
    case cancel
}

/// The kinds of requests of a load with their weights: `toggle=6,set=2,read=1,cancel=1`.
public struct LoadMix: Equatable, Sendable {
    private struct Share: Equatable {
        let kind: LoadRequestKind
        /// The share of the requests of this kind; 0 to 1.
        let share: Double
    }

    private static let weightLimit: Double = 1_000_000

    /// The text of the mix, without blanks.
    public let text: String

    private let shares: [Share]

    /// Parses a mix: kinds with weights, separated by commas.
    public init(_ text: String) throws(PlanError) {
        let trimmed = text.filter { $0 != " " }
        func error(_ why: String) -> PlanError {
            PlanError("'\(text)' is not a mix such as toggle=6,set=2,read=1,cancel=1: \(why)")
        }
        var weights: [(kind: LoadRequestKind, weight: Double)] = []
        for part in trimmed.split(separator: ",", omittingEmptySubsequences: false) {
            let sides = part.split(separator: "=", omittingEmptySubsequences: false)
            guard sides.count == 2 else {
                throw error("write a kind, `=` and a weight in place of '\(part)'")
            }
            guard let kind = LoadRequestKind(rawValue: String(sides[0])) else {
                let kinds = LoadRequestKind.allCases.map(\.rawValue).joined(separator: ", ")
                throw error("'\(sides[0])' is not one of \(kinds)")
            }
            guard !weights.contains(where: { $0.kind == kind }) else {
                throw error("it has \(kind.rawValue) twice")
            }
            guard let weight = Self.weight(sides[1]) else {
                throw error("the weight '\(sides[1])' is not a number from 0 to \(Int(Self.weightLimit))")
            }
            weights.append((kind, weight))
        }
        let sum = weights.reduce(0) { $0 + $1.weight }
        guard sum > 0 else { throw error("the weights add up to 0") }
        self.text = trimmed
        shares = weights.map { Share(kind: $0.kind, share: $0.weight / sum) }
    }

    public var kinds: [LoadRequestKind] { shares.filter { $0.share > 0 }.map(\.kind) }

    func share(of kind: LoadRequestKind) -> Double { shares.first { $0.kind == kind }?.share ?? 0 }

    /// Returns the kind to which a number from 0 to 1 belongs, so that random numbers give each kind its
    /// share.
    func kind(at draw: Double) -> LoadRequestKind {
        var left = draw
        for share in shares where share.share > 0 {
            if left < share.share { return share.kind }
            left -= share.share
        }
        // The shares add up to 1 except for their rounding.
        return kinds[kinds.count - 1]
    }

    private static func weight(_ text: Substring) -> Double? {
        guard text.allSatisfy({ $0.isASCII && ($0.isNumber || $0 == ".") }), let weight = Double(text),
            weight <= weightLimit
        else { return nil }
        return weight
    }
}
