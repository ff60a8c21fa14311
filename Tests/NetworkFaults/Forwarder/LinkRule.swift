/// What happens to the packets of a link.
struct LinkRule: Equatable {
    /// The probability of a packet to be lost, sent twice, or overtaken by later ones.
    var loss = 0.0
    var duplicate = 0.0
    var reorder = 0.0
    /// The time in transit, and the maximum by which it varies without a change of the order.
    var delayUs: Int64 = 0
    var jitterUs: Int64 = 0

    /// Parses pairs such as `loss 0.01 delay 20`: probabilities from 0 to 1, and milliseconds.
    init(_ words: some Collection<Substring>) throws {
        var words = words[...]
        while let name = words.popFirst() {
            guard let number = words.popFirst().flatMap({ Double($0) }), number >= 0 else {
                throw Refused("\(name) needs a number")
            }
            switch name {
            case "loss": loss = try Self.probability(number)
            case "duplicate": duplicate = try Self.probability(number)
            case "reorder": reorder = try Self.probability(number)
            case "delay": delayUs = try Self.microseconds(number)
            case "jitter": jitterUs = try Self.microseconds(number)
            default: throw Refused("unknown property of a link: \(name)")
            }
        }
    }

    /// Every packet passes at once.
    init() {}

    private static func probability(_ number: Double) throws -> Double {
        guard number <= 1 else { throw Refused("a probability is at most 1, not \(number)") }
        return number
    }

    private static func microseconds(_ milliseconds: Double) throws -> Int64 {
        guard milliseconds <= 60_000 else { throw Refused("a delay is at most 60,000 ms") }
        return Int64(milliseconds * 1_000)
    }
}
