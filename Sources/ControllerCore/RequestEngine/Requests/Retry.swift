import Stepping

/// How often a command may leave again, and when.
struct RetryBudget: Sendable {
    /// All in tenths of a token: ten tokens are full, a resend costs one, a success earns a tenth.
    private static let full = 100
    private static let cost = 10

    /// Only devices that have spent something.
    private var tenths: [DeviceSlot: Int] = [:]

    /// Takes the cost of one resend; false when a device has no token left.
    mutating func spend(on device: DeviceSlot) -> Bool {
        let left = tenths[device] ?? Self.full
        guard left >= Self.cost else { return false }
        tenths[device] = left - Self.cost
        return true
    }

    /// A command of the device was answered.
    mutating func earn(for device: DeviceSlot) {
        guard let left = tenths[device] else { return }
        tenths[device] = left + 1 == Self.full ? nil : left + 1
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
