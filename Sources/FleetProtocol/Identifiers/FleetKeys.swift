import Stepping

/// What the ids of a fleet's devices are mixed with: made of its seed once, and not for each id.
public struct FleetKeys: Sendable {
    /// One for each round that mixes the halves; after four, neighbouring indices have nothing in common.
    let rounds: [4 of UInt64]

    /// The keys of the fleet of that seed.
    public init(seed: UInt64) {
        rounds = [4 of UInt64] { SeededGenerator.mixed(seed &+ UInt64($0)) }
    }
}
