/// What a device's Wi-Fi is doing.
public enum Connectivity: UInt8, CaseIterable, Hashable, Sendable {
    /// It is looking for its network.
    case connecting
    /// It can be reached.
    case established
    /// It was thrown out, or found nothing.
    case error

    /// What follows: one of the two other states, never the same again.
    public func next(using generator: inout some RandomNumberGenerator) -> Connectivity {
        let others = Self.allCases.filter { $0 != self }
        return others[Int.random(in: others.indices, using: &generator)]
    }
}
