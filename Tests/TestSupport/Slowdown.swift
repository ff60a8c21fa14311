import Foundation

/// How much slower programs run here than where the tests' limits of time were set.
package enum Slowdown {
    /// What the environment's `SENSIBUS_SLOWDOWN` says, from 1 to 100; 1 when it says nothing.
    ///
    /// A sanitizer makes programs slower, and so does a machine that is busy or small.
    package static let factor: Int = {
        guard let text = ProcessInfo.processInfo.environment["SENSIBUS_SLOWDOWN"] else { return 1 }
        guard let factor = Int(text), 1...100 ~= factor else {
            preconditionFailure("SENSIBUS_SLOWDOWN is a whole number from 1 to 100, not \(text)")
        }
        return factor
    }()
}

extension Duration {
    /// What may take this long where nothing is slowed may take so long here.
    package var slowed: Duration { self * Slowdown.factor }
}
