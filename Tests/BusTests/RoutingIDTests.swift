import Bus
import Testing

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
