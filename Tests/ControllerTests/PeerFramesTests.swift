import Bus
import ControllerCore
import FleetProtocol
import Testing

@testable import controller

@Suite("Frames to the peers of a ROUTER")
struct PeerFramesTests {
    private struct Sent: Equatable {
        let peer: RoutingID
        let frame: [UInt8]
    }

    private static func peer(_ bytes: UInt8...) throws -> RoutingID { try #require(RoutingID(bytes)) }

    private static func message(_ number: UInt64) -> [UInt8] {
        ClientReply(correlation: number, body: .signedOut(sessions: 1)).wireBytes
    }

    private static func batch(_ numbers: ClosedRange<UInt64>) -> [UInt8] {
        var writer = FrameWriter()
        for number in numbers { #expect(writer.append(message(number)) == nil) }
        return writer.finish() ?? []
    }

    /// Adds messages, and returns the frames that left before and after the end of the turn.
    private static func send(
        _ messages: [(RoutingID, hasBatches: Bool, number: UInt64)], with frames: inout PeerFrames
    ) -> (early: [Sent], late: [Sent]) {
        var sent: [Sent] = []
        for (peer, hasBatches, number) in messages {
            frames.add(message(number), to: ConnectionID(peer, hasBatches: hasBatches)) {
                sent.append(Sent(peer: RoutingID($0), frame: $1))
            }
        }
        let early = sent.count
        frames.sendAll { sent.append(Sent(peer: RoutingID($0), frame: $1)) }
        return (Array(sent[..<early]), Array(sent[early...]))
    }

    @Test("messages to peers with batches leave in one frame for each, and the others at once and alone")
    func batches() throws {
        var frames = PeerFrames()
        let (first, second, third) = (try Self.peer(0, 1), try Self.peer(0, 2), try Self.peer(0, 3))
        // The second turn begins without the messages of the first.
        for _ in 1...2 {
            let (early, late) = Self.send(
                [(first, true, 1), (second, false, 9), (third, true, 8), (first, true, 2), (first, true, 3)],
                with: &frames)
            #expect(early == [Sent(peer: second, frame: Self.message(9))])
            #expect(
                late == [
                    Sent(peer: first, frame: Self.batch(1...3)), Sent(peer: third, frame: Self.message(8)),
                ])
        }
    }

    @Test("a message alone does not overtake earlier ones in batches to the same peer")
    func order() throws {
        var frames = PeerFrames()
        let (first, second) = (try Self.peer(1), try Self.peer(2))
        let (early, late) = Self.send(
            [(first, true, 1), (second, true, 7), (first, true, 2), (first, false, 3), (first, true, 4)],
            with: &frames)
        #expect(
            early == [Sent(peer: first, frame: Self.batch(1...2)), Sent(peer: first, frame: Self.message(3))])
        #expect(
            late == [Sent(peer: first, frame: Self.message(4)), Sent(peer: second, frame: Self.message(7))])
    }

    @Test("a full frame leaves before the end of the turn")
    func full() throws {
        var frames = PeerFrames()
        let peer = try Self.peer(5)
        let count = UInt64(Limits.batchMessages)
        let (early, late) = Self.send((1...count + 2).map { (peer, true, $0) }, with: &frames)
        #expect(early == [Sent(peer: peer, frame: Self.batch(1...count))])
        #expect(late == [Sent(peer: peer, frame: Self.batch(count + 1...count + 2))])
    }

    @Test("a connection with batches has the peer's routing ID, and differs from the one without")
    func marks() throws {
        for length in [1, 5, 8, RoutingID.limit] {
            let peer = try #require(RoutingID([UInt8](repeating: 0xff, count: length)))
            let (with, without) = (ConnectionID(peer, hasBatches: true), ConnectionID(peer))
            #expect(RoutingID(with) == peer)
            #expect(RoutingID(without) == peer)
            #expect(with != without)
        }
    }
}
