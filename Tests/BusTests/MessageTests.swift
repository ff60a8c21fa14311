import Bus
import Testing

@Suite("Message")
struct MessageTests {
    /// Around the 33 bytes that libzmq stores within a message, and far beyond.
    static let sizes = [0, 1, 32, 33, 34, 60_000]

    @Test("a message contains the bytes it was made of", arguments: sizes)
    func contents(size: Int) {
        let bytes = (0..<size).map { UInt8(truncatingIfNeeded: $0) }
        let message = Message(bytes)
        #expect(message.count == size)
        #expect(message.array == bytes)
        let isLast = message.isLast
        #expect(isLast)
        #expect(message.withBytes { $0.byteCount } == size)
    }

    @Test("a copy outlives its original", arguments: sizes)
    func copy(size: Int) {
        let bytes = [UInt8](repeating: 9, count: size)
        let copy = Self.copyOfDying(bytes)
        #expect(copy.array == bytes)
    }

    @Test(
        "copies share the bytes of a large message, and not of a small one",
        arguments: [(33, false), (34, true)])
    func sharing(size: Int, isShared: Bool) {
        var original = Message([UInt8](repeating: 1, count: size))
        let copy = Message(copying: &original)
        let isSame = original.withBytes { one in copy.withBytes { one.isIdentical(to: $0) } }
        #expect(isSame == isShared)
    }

    @Test("a sent message is empty, and arrives unchanged", arguments: sizes)
    func sendAndReceive(size: Int) throws {
        let (pull, push) = try Fixture.pair(.pull, .push)
        let bytes = [UInt8](repeating: 3, count: size)
        var message = Message(bytes)
        #expect(try push.send(&message) == .sent)
        #expect(message.count == 0)
        let received = try pull.nextFrame()
        #expect(received.array == bytes)
        #expect(pull.counters.receivedMessages == 1)
    }

    @Test("a refused message is unchanged")
    func refused() throws {
        let push = try Socket(.push, context: Fixture.context)
        var message = Message([1, 2, 3])
        #expect(try push.send(&message) == .wouldBlock)
        #expect(message.array == [1, 2, 3])
    }

    @Test("a frame is forwarded unchanged by a ROUTER, and is then empty", arguments: sizes)
    func passOn(size: Int) throws {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        let bytes = [UInt8](repeating: 5, count: size)
        #expect(try dealer.send(bytes) == .sent)
        var frames = Frames()
        guard try router.receiveWaiting(into: &frames), let peer = frames.routingID(at: 0) else {
            throw NothingReceived()
        }
        let result = try router.send(to: peer, frame: 1, of: &frames)
        let counts = (frames.count, frames.byteCount(at: 1))
        #expect(result == .sent)
        #expect(counts == (2, 0))
        #expect(try dealer.next() == [bytes])
    }

    @Test("a frame for an unknown peer is unchanged", arguments: sizes)
    func unroutable(size: Int) throws {
        let (router, dealer) = try Fixture.pair(.router, .dealer)
        let stranger = try #require(RoutingID([1, 2, 3]))
        let bytes = [UInt8](repeating: 5, count: size)
        #expect(try dealer.send(bytes) == .sent)
        var frames = Frames()
        guard try router.receiveWaiting(into: &frames) else { throw NothingReceived() }
        let result = try router.send(to: stranger, frame: 1, of: &frames)
        let copied = frames.array(at: 1)
        #expect(result == .unroutable)
        #expect(copied == bytes)
    }

    @Test("frames received one by one have a flag for a following frame")
    func more() throws {
        let (one, other) = try Fixture.pair(.pair, .pair)
        #expect(try one.send([[1], [2]]) == .sent)
        let first = try other.nextFrame()
        let firstHasMore = first.hasMore
        #expect(firstHasMore)
        let second = try other.nextFrame()
        let secondIsLast = second.isLast
        #expect(secondIsLast)
        var frames = Frames()
        let isThird = try other.receive(into: &frames)
        #expect(!isThird)
        #expect(other.counters.receivedMessages == 1)
    }

    private static func copyOfDying(_ bytes: [UInt8]) -> Message {
        var original = Message(bytes)
        return Message(copying: &original)
    }
}

@Suite("RoutingID")
struct RoutingIDTests {
    @Test("routing IDs of 1 to 15 bytes keep their bytes", arguments: 1...15)
    func roundTrip(count: Int) throws {
        let bytes = (0..<count).map { UInt8(255 - $0 * 7) }
        let peer = try #require(RoutingID(bytes))
        #expect(peer.bytes == bytes)
        #expect(peer.count == count)
    }

    @Test("a routing ID of no bytes or more than 15 is refused", arguments: [0, 16, 255])
    func refused(count: Int) {
        #expect(RoutingID([UInt8](repeating: 1, count: count)) == nil)
    }

    @Test("routing IDs with different numbers of trailing zeros differ")
    func zeros() {
        let ids = Set((1...15).compactMap { RoutingID([UInt8](repeating: 0, count: $0)) })
        #expect(ids.count == 15)
    }

    @Test("routing IDs that differ in one byte differ", arguments: 0..<15)
    func eachByte(index: Int) {
        var bytes = [UInt8](repeating: 7, count: 15)
        let before = RoutingID(bytes)
        bytes[index] = 8
        #expect(RoutingID(bytes) != before)
    }

    @Test("the description of a routing ID is hexadecimal")
    func hexadecimal() {
        #expect(RoutingID([0, 1, 0xab, 0xff])?.description == "0001abff")
    }
}
