import CZMQ
import Testing

@testable import Bus

@Suite("Hazard: prefixes of 246 to 255 bytes never match")
struct PrefixLengthTests {
    @Test("a prefix of the maximum length matches, over tcp and inproc", arguments: [false, true])
    func longest(isTCP: Bool) throws {
        let prefix = [UInt8](repeating: 7, count: Socket.prefixLimitBytes)
        let xpub = try Socket(.xpub, context: Fixture.context)
        try xpub.bind(isTCP ? .tcp(host: "127.0.0.1", port: 0) : Fixture.inproc())
        let sub = try Fixture.socket(.sub, connectedTo: #require(try xpub.lastEndpoint))
        try sub.subscribe(prefix: prefix)
        #expect(try xpub.next(using: sub) == [[1] + prefix])
        #expect(try xpub.send(topic: prefix + [1], payload: [2]) == .sent)
        #expect(try sub.next() == [prefix + [1], [2]])
    }

    @Test("a longer prefix is refused, whatever its length", arguments: [246, 255, 256])
    func tooLong(count: Int) throws {
        let sub = try Socket(.sub, context: Fixture.context)
        let prefix = [UInt8](repeating: 7, count: count)
        for attempt in [{ try sub.subscribe(prefix: prefix) }, { try sub.unsubscribe(prefix: prefix) }] {
            let error = expectError(.invalidArgument) { try attempt() }
            #expect(error?.description.contains("\(count) bytes where 245 are the limit") == true)
        }
    }

    @Test(
        "libzmq accepts a prefix of 246 or 255 bytes, and its publisher receives an empty one",
        arguments: [246, 255])
    func withoutCheck(count: Int) throws {
        let (xpub, endpoint) = try Fixture.bound(.xpub)
        let sub = try Fixture.socket(.sub, connectedTo: endpoint)
        try sub.set(ZMQ_SUBSCRIBE, to: [UInt8](repeating: 7, count: count), name: "subscribe")
        #expect(try xpub.next(using: sub) == [[]])
    }
}
