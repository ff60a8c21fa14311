import ArgumentParser

enum ReplaySpeed: Equatable, ExpressibleByArgument {
    /// A multiple of the recorded speed.
    case times(Double)
    /// As fast as possible.
    case max

    /// Parses a speed: a number from 0.01 to 100,000, or `max`.
    init?(argument: String) {
        if argument == "max" {
            self = .max
        } else if let factor = Double(argument), (0.01...100_000).contains(factor) {
            self = .times(factor)
        } else {
            return nil
        }
    }

    var text: String {
        switch self {
        case .times(let factor): factor == factor.rounded() ? "×\(Int(factor))" : "×\(factor)"
        case .max: "max"
        }
    }

    /// Returns the recorded time to play in a real time; nil for no bound.
    func played(in time: Duration) -> Duration? {
        switch self {
        case .times(let factor): time * factor
        case .max: nil
        }
    }
}
