import FleetProtocol

/// The retry budget of each device, which limits resends of commands.
struct RetryBudget: Sendable {
    /// Amounts are tenths of a token: a full budget has ten tokens, a resend costs one, a result earns a
    /// tenth.
    private static let full = 100
    private static let cost = 10

    /// The remaining budgets; a device with a full budget has no entry.
    private var tenths: [DeviceSlot: Int] = [:]

    /// Takes the cost of one resend; returns false if the device has no token left.
    mutating func spend(on device: DeviceSlot) -> Bool {
        let left = tenths[device] ?? Self.full
        guard left >= Self.cost else { return false }
        tenths[device] = left - Self.cost
        return true
    }

    /// Earns a tenth of a token, for a result of the device.
    mutating func earn(for device: DeviceSlot) {
        guard let left = tenths[device] else { return }
        tenths[device] = left + 1 == Self.full ? nil : left + 1
    }
}

/// Delays between retries.
enum Backoff {
    /// The silence on a live connection after which a command is sent again.
    static let silence: Duration = .seconds(1)
    private static let base: Duration = .milliseconds(50)
    private static let cap: Duration = .milliseconds(500)

    /// Full jitter: a random delay between 0 and 50 ms · 2ⁿ, at most 500 ms.
    static func jitter(afterTries tries: Int, using generator: inout some RandomNumberGenerator) -> Duration {
        let bound = min(cap, base * (1 << min(tries, 8)))
        return .nanoseconds(Int64.random(in: 0...bound.wholeNanoseconds, using: &generator))
    }
}
