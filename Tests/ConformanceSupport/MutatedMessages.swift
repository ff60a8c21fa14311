import FleetProtocol

/// Messages that are joined, truncated and changed at random, reproducible from a seed.
public struct MutatedMessages: Sendable {
    private let samples: [[UInt8]]
    private var generator: SeededGenerator

    /// Mutations of the given messages, at least one.
    public init(of samples: [[UInt8]], seed: UInt64) {
        precondition(!samples.isEmpty, "there are messages to mutate")
        self.samples = samples
        generator = SeededGenerator(seed: seed)
    }

    /// Returns the bytes of one or two messages, with up to two bytes replaced, removed or added.
    public mutating func next() -> [UInt8] {
        var bytes = samples.randomElement(using: &generator) ?? []
        if Bool.random(using: &generator) { bytes += samples.randomElement(using: &generator) ?? [] }
        for _ in 0..<Int.random(in: 0...2, using: &generator) where !bytes.isEmpty {
            let place = Int.random(in: bytes.indices, using: &generator)
            switch Int.random(in: 0...2, using: &generator) {
            case 0: bytes[place] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes.remove(at: place)
            default: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: place)
            }
        }
        return bytes
    }
}
