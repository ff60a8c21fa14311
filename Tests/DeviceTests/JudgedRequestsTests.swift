import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("The judged requests in a node's hello")
struct JudgedRequestsTests {
    private var bench = NodeBench(devices: 3)

    /// The requests of the hello, by the first halves of their IDs.
    private mutating func judged() throws -> [UInt64] {
        try bench.hello().judgedRequests.map(\.high)
    }

    /// Toggles a device; the effects.
    @discardableResult
    private mutating func toggle(_ slot: Int, number: UInt64 = 1, request: UInt64) -> [Node.Effect] {
        bench.send(.command(bench.toggle(slot, number: number, request: RequestID(high: request, low: 0))))
    }

    @Test("they are the one that a device judged last, and the one with the newest ID")
    mutating func latest() throws {
        #expect(try judged().isEmpty)
        toggle(0, request: 9)
        #expect(try judged() == [9])
        toggle(1, request: 5)
        #expect(try judged() == [5, 9])
        // The number is used, so the device does not judge it.
        toggle(1, request: 7)
        #expect(try judged() == [5, 9])
        toggle(2, request: 10)
        #expect(try judged() == [10])
    }

    @Test("after a restart it is the newest that a device remembers")
    mutating func restarted() throws {
        let effects =
            toggle(0, request: 9) + toggle(1, request: 5) + toggle(0, number: 2, request: 7)
        bench = NodeBench(devices: 3, remembering: try bench.memory(and: effects))
        #expect(try judged() == [7])
    }
}
