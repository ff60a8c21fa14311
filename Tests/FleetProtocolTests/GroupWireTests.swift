import FleetProtocol
import Testing

@Suite("Groups on the wire")
struct GroupWireTests {
    @Test("a node's groups fit into its hello, and an account's groups into their part of a chunk")
    func groupBounds() throws {
        let longest = String(repeating: "n", count: Limits.nameBytes)
        let change = ACStateChange(
            isOn: true, mode: .fan, targetTemperature: .min, temperatureUnit: .fahrenheit, fanLevel: .high,
            swing: .rangeFull, horizontalSwing: .rangeFull, light: .on)
        let side = ClimateReact.Side(tenths: .min, change: change)
        let group = DeviceGroup(
            model: .elements, site: longest, firmware: longest, remote: .toggle,
            airConditioner: .fahrenheit,
            climateReact: ClimateReact(measure: .feelsLike, low: side, high: side))
        let hello = NodeHello(
            node: try #require(NodeName(String(repeating: "n", count: 32))),
            account: try #require(AccountID("demo")),
            devices: 1, groups: Array(repeating: group, count: Limits.nodeGroups))
        let message = NodeMessage(bootID: BootID(bits: 1), lastNumber: .zero, body: .hello(hello)).wireBytes
        #expect(message.count <= Limits.chunkBytes)
        let numbered = SnapshotChunk.Group(number: GroupNumber(UInt16(Limits.accountGroups)), group: group)
        func bytes(_ count: Int) -> Int {
            let chunk = SnapshotChunk(
                epoch: Epoch(1), sequence: StreamSequence(2), nextCursor: 3, isLast: true, nodes: [],
                groups: Array(repeating: numbered, count: count), rows: [])
            return ClientReply(correlation: 1, body: .snapshot(chunk)).wireBytes.count
        }
        #expect(bytes(101) - bytes(100) <= numbered.bytesAtMost)
    }
}
