import Stepping

/// How often a command may leave again, and when.
struct RetryBudget: Sendable {
    private static let full = 10.0
    private static let earned = 0.1

    /// Only devices that have spent something.
    private var tokens: [DeviceSlot: Double] = [:]

    /// Takes the cost of one resend; false when a device has no token left.
    mutating func spend(on device: DeviceSlot) -> Bool {
        let left = tokens[device] ?? Self.full
        guard left >= 1 else { return false }
        tokens[device] = left - 1
        return true
    }

    /// A command of the device was answered.
    mutating func earn(for device: DeviceSlot) {
        guard let left = tokens[device] else { return }
        tokens[device] = left + Self.earned >= Self.full ? nil : left + Self.earned
    }
}

/// Waiting times between tries.
enum Backoff {
    /// Silence on a live connection before a command leaves again.
    static let silence: Duration = .seconds(1)
    private static let base: Duration = .milliseconds(50)
    private static let cap: Duration = .milliseconds(500)

    /// Full jitter: anything from nothing to 50 ms · 2ⁿ, at most 500 ms.
    static func jitter(afterTries tries: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let bound = min(cap, base * (1 << min(tries, 8)))
        return .nanoseconds(Int64.random(in: 0...bound.wholeNanoseconds, using: &generator))
    }
}
