import Bus
import Testing

@Suite("Hazard: a publisher drops messages that it reports as sent")
struct DroppedByPublisherTests {
    @Test("the default high-water marks hold 100,000 messages for a subscriber that does not read")
    func burst() throws {
        let (xpub, sub) = try Self.subscribed(mark: nil)
        for number in UInt32(0)..<100_000 { #expect(try xpub.send(Self.bytes(of: number)) == .sent) }
        for number in UInt32(0)..<100_000 {
            try #require(try sub.nextFrame().array == Self.bytes(of: number))
        }
    }

    @Test("beyond its marks a publisher drops messages reported as sent, visible in gaps of numbers only")
    func beyondMarks() throws {
        let (xpub, sub) = try Self.subscribed(mark: 10)
        for number in UInt32(0)..<100 { #expect(try xpub.send(Self.bytes(of: number)) == .sent) }
        for number in UInt32(0)..<20 { #expect(try sub.nextFrame().array == Self.bytes(of: number)) }
        var frames = Frames()
        #expect(try !sub.receive(into: &frames))
        #expect(xpub.counters.sentMessages == 100)
        #expect(xpub.counters.wouldBlockMessages == 0)
    }

    @Test("a slow subscriber does not affect others")
    func others() throws {
        let (xpub, slow) = try Self.subscribed(mark: 10)
        let other = try Fixture.socket(.sub, connectedTo: #require(try xpub.lastEndpoint))
        try other.subscribe(prefix: "of its own")
        try other.subscribe(prefix: [])
        #expect(try xpub.next() == [[1] + Array("of its own".utf8)])
        for number in UInt32(0)..<100 {
            #expect(try xpub.send(Self.bytes(of: number)) == .sent)
            #expect(try other.nextFrame().array == Self.bytes(of: number))
        }
        #expect(!slow.isClosed)
    }

    /// A publisher and a subscriber to everything, with a mark for each queue, or the defaults.
    private static func subscribed(mark: Int?) throws -> (xpub: Socket, sub: Socket) {
        var publishing = SocketOptions.defaults(for: .xpub)
        var subscribing = SocketOptions.defaults(for: .sub)
        if let mark {
            publishing.sendHighWaterMark = mark
            subscribing.receiveHighWaterMark = mark
        }
        let (xpub, sub) = try Fixture.pair(
            .xpub, .sub, boundOptions: publishing, connectedOptions: subscribing)
        try sub.subscribe(prefix: [])
        guard try xpub.next() == [[1]] else { throw NothingReceived() }
        return (xpub, sub)
    }

    /// Four bytes, big-endian.
    private static func bytes(of number: UInt32) -> [UInt8] {
        withUnsafeBytes(of: number.bigEndian) { Array($0) }
    }
}
