import FleetProtocol
import Testing

@testable import network_faults

@Suite("Links between the forwarder's ports")
struct LinkTests {
    private static func rule(_ text: String) throws -> LinkRule { try LinkRule(text.split(separator: " ")) }

    /// The numbers of 10,000 packets, one each 100 µs, in the order of their arrival, with their times in
    /// transit.
    private func run(_ rule: LinkRule, seed: UInt64 = 1) -> (order: [Int], transitUs: [Int64], Link.Counts) {
        var link = Link(seed: seed)
        link.rule = rule
        var (order, transit): ([Int], [Int64]) = ([], [])
        for number in 0..<10_100 {
            let now = Int64(number) * 100
            if number < 10_000 { link.send([UInt8(number & 255), UInt8(number >> 8)], atUs: now) }
            while let packet = link.receive(atUs: now) {
                let sent = Int(packet[0]) | Int(packet[1]) << 8
                order.append(sent)
                transit.append(now - Int64(sent) * 100)
            }
        }
        while let packet = link.receive(atUs: .max) { order.append(Int(packet[0]) | Int(packet[1]) << 8) }
        return (order, transit, link.counts)
    }

    @Test("without a rule every packet arrives at once")
    func plain() {
        let (order, transit, counts) = run(LinkRule())
        #expect(order == Array(0..<10_000))
        #expect(transit.allSatisfy { $0 == 0 })
        #expect(counts.forwarded == 10_000)
    }

    @Test("a delay with jitter keeps the order, and is within its bounds")
    func delay() throws {
        let (order, transit, _) = run(try Self.rule("delay 2 jitter 1"))
        #expect(order == Array(0..<10_000))
        #expect(transit.allSatisfy { 2_000...3_100 ~= $0 })
    }

    @Test("as many packets are lost, duplicated and reordered as the probabilities say")
    func probabilities() throws {
        let (order, _, counts) = run(try Self.rule("loss 0.1 duplicate 0.05 reorder 0.02 delay 1"))
        #expect(900...1_100 ~= counts.lost)
        #expect(380...520 ~= counts.duplicated)
        #expect(140...220 ~= counts.reordered)
        #expect(order.count == 10_000 - counts.lost + counts.duplicated)
        let overtaken = zip(order, order.dropFirst()).count { $0 > $1 }
        #expect(overtaken > 100)
    }

    @Test("the same seed does the same to the same packets")
    func deterministic() throws {
        let rule = try Self.rule("loss 0.1 duplicate 0.05 reorder 0.02 delay 1 jitter 3")
        #expect(run(rule, seed: 7).order == run(rule, seed: 7).order)
        #expect(run(rule, seed: 7).order != run(rule, seed: 8).order)
    }

    @Test("packets in transit are bounded")
    func bound() throws {
        var link = Link(seed: 1)
        link.rule = try Self.rule("delay 60000")
        for _ in 0..<Link.capacity + 5 { link.send([1], atUs: 0) }
        #expect(link.counts.overflowed == 5)
    }

    @Test(
        "wrong properties are refused",
        arguments: ["loss", "loss 2", "loss -1", "delay x", "delay 60001", "speed 1", "loss 0.1 delay"])
    func refused(text: String) {
        #expect(throws: Refused.self) { try Self.rule(text) }
    }

    @Test("a packet goes to the port that its destination's last byte names")
    func port() {
        let header: [UInt8] = [0x45] + [UInt8](repeating: 0, count: 15)
        #expect(Forwarder.port(of: header + [10, 77, 1, 3]) == 2)
        #expect(Forwarder.port(of: header + [10, 77, 0, 0]) == nil)
        #expect(Forwarder.port(of: [0x60] + [UInt8](repeating: 1, count: 60)) == nil)
        #expect(Forwarder.port(of: []) == nil)
    }
}
