import DequeModule
import FleetProtocol

/// One direction between two ports: packets in transit, in the order of their arrival.
struct Link {
    /// The number of packets to which something happened.
    struct Counts: Equatable {
        var forwarded = 0
        var lost = 0
        var duplicated = 0
        var reordered = 0
        /// Dropped because too many were in transit.
        var overflowed = 0

        static func += (sum: inout Counts, other: Counts) {
            sum.forwarded += other.forwarded
            sum.lost += other.lost
            sum.duplicated += other.duplicated
            sum.reordered += other.reordered
            sum.overflowed += other.overflowed
        }
    }

    private struct Waiting {
        let dueUs: Int64
        let packet: [UInt8]
    }

    /// The maximum number of packets in transit.
    static let capacity = 8_192
    /// The additional time of a packet that later ones overtake, beside half of the link's delay.
    static let overtakenUs: Int64 = 5_000

    var rule = LinkRule()
    private(set) var counts = Counts()
    private var generator: SeededGenerator
    private var waiting: Deque<Waiting> = []
    /// The arrival of the last packet in order.
    private var lastDueUs: Int64 = 0

    init(seed: UInt64) {
        generator = SeededGenerator(seed: seed)
    }

    /// The time of the next arrival.
    var nextDueUs: Int64? { waiting.first?.dueUs }

    /// Accepts a packet that was sent now.
    mutating func send(_ packet: [UInt8], atUs now: Int64) {
        guard !chance(rule.loss) else {
            counts.lost += 1
            return
        }
        let jitter = rule.jitterUs > 0 ? Int64.random(in: 0...rule.jitterUs, using: &generator) : 0
        var dueUs = max(now + rule.delayUs + jitter, lastDueUs)
        if chance(rule.reorder) {
            counts.reordered += 1
            dueUs += rule.delayUs / 2 + Self.overtakenUs
        } else {
            lastDueUs = dueUs
        }
        insert(Waiting(dueUs: dueUs, packet: packet))
        if chance(rule.duplicate) {
            counts.duplicated += 1
            insert(Waiting(dueUs: dueUs, packet: packet))
        }
    }

    /// Removes the next packet that has arrived by now.
    mutating func receive(atUs now: Int64) -> [UInt8]? {
        guard let first = waiting.first, first.dueUs <= now else { return nil }
        counts.forwarded += 1
        return waiting.removeFirst().packet
    }

    private mutating func insert(_ one: Waiting) {
        guard waiting.count < Self.capacity else {
            counts.overflowed += 1
            return
        }
        var place = waiting.endIndex
        while place > waiting.startIndex, waiting[place - 1].dueUs > one.dueUs { place -= 1 }
        waiting.insert(one, at: place)
    }

    private mutating func chance(_ probability: Double) -> Bool {
        probability > 0 && Double.random(in: 0..<1, using: &generator) < probability
    }
}
