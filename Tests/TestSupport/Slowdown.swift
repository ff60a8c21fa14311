import Foundation

/// How much slower programs run here than where the tests' time limits were set.
package enum Slowdown {
    /// The environment's `SENSIBUS_SLOWDOWN`, from 1 to 100; 1 if it is not set.
    ///
    /// A sanitizer makes programs slower, and so does a busy or small machine.
    package static let factor: Int = {
        guard let text = ProcessInfo.processInfo.environment["SENSIBUS_SLOWDOWN"] else { return 1 }
        guard let factor = Int(text), 1...100 ~= factor else {
            preconditionFailure("SENSIBUS_SLOWDOWN is a whole number from 1 to 100, not \(text)")
        }
        return factor
    }()
}

extension Duration {
    /// The time limit here for a limit without slowdown.
    package var slowed: Duration { self * Slowdown.factor }
}
