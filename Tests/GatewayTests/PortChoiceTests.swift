import Testing

@testable import gateway

@Suite("Ports that a gateway tries")
struct PortChoiceTests {
    @Test("a named port is the only one, whatever the gateway used before")
    func named() {
        #expect(PortChoice(8_080, orNext: false, former: nil).ports == [8_080])
        #expect(PortChoice(8_080, orNext: false, former: 8_702).ports == [8_080])
    }

    @Test("a port that may move is followed by its neighbours, and then by any free port")
    func next() {
        let ports = PortChoice(8_701, orNext: true, former: nil).ports
        #expect(ports == Array(8_701...8_800) + [0])
        #expect(PortChoice(65_535, orNext: true, former: nil).ports == [65_535, 0])
    }

    @Test("the port used before is tried first, and once")
    func former() {
        let ports = PortChoice(8_701, orNext: true, former: 8_703).ports
        #expect(ports.prefix(4) == [8_703, 8_701, 8_702, 8_704])
        #expect(ports.count == 101)
        #expect(PortChoice(0, orNext: false, former: 40_123).ports == [40_123, 0])
        #expect(PortChoice(0, orNext: false, former: nil).ports == [0])
    }
}
