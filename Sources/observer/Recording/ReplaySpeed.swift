import ArgumentParser

/// How fast a recording is played.
enum ReplaySpeed: Equatable, ExpressibleByArgument {
    /// So many times as fast as it was recorded.
    case times(Double)
    /// As fast as can be.
    case max

    /// The speed that a text spells: a number from 0.01 to 100,000, or `max`.
    init?(argument: String) {
        if argument == "max" {
            self = .max
        } else if let factor = Double(argument), (0.01...100_000).contains(factor) {
            self = .times(factor)
        } else {
            return nil
        }
    }

    /// Its text.
    var text: String {
        switch self {
        case .times(let factor): factor == factor.rounded() ? "×\(Int(factor))" : "×\(factor)"
        case .max: "max"
        }
    }

    /// How much is played in a time; nil: all there is.
    func played(in time: Duration) -> Duration? {
        switch self {
        case .times(let factor): time * factor
        case .max: nil
        }
    }
}
