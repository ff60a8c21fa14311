import FleetProtocol
import Testing

@Suite("DeviceIndex")
struct DeviceIndexTests {
    @Test(
        "an index finds the same as a dictionary after any insertions and removals",
        arguments: 1...20 as ClosedRange<UInt64>)
    func likeDictionary(seed: UInt64) {
        var generator = SeededGenerator(seed: seed)
        var index = DeviceIndex()
        var expected: [DeviceID: Int] = [:]
        var ids: [DeviceID] = []
        for _ in 0..<20_000 {
            let device = DeviceID(fleetSeed: seed, index: UInt64.random(in: 0..<8_000, using: &generator))
            if expected[device] == nil {
                expected[device] = ids.count
                ids.append(device)
                index.insert(device, at: ids.count - 1) { ids[$0] }
            } else if Bool.random(using: &generator) {
                expected[device] = nil
                index.remove(device) { ids[$0] }
            }
        }
        #expect(!expected.isEmpty)
        for number in 0..<8_000 as Range<UInt64> {
            let device = DeviceID(fleetSeed: seed, index: number)
            #expect(index.slot(of: device) { ids[$0] } == expected[device])
        }
    }

    @Test("an index with reserved capacity inserts devices without comparing others, and each once")
    func reserved() {
        let ids = (0..<20_000).map { DeviceID(fleetSeed: 1, index: UInt64($0)) }
        var index = DeviceIndex()
        for (slot, device) in ids.prefix(100).enumerated() { index.insert(device, at: slot) { ids[$0] } }
        index.reserve(ids.count) { ids[$0] }
        var looks = 0
        for (slot, device) in ids.enumerated() {
            let known = index.slot(of: device, orInsertAt: slot) {
                looks += 1
                return ids[$0]
            }
            #expect(known == (slot < 100 ? slot : nil))
        }
        print("measured: \(looks) devices looked at by 20,000 insertions (≤ 2,000)")
        #expect(looks <= 2_000)
        for (slot, device) in ids.enumerated() {
            #expect(index.slot(of: device, orInsertAt: 0) { ids[$0] } == slot)
        }
    }

    @Test("an index compares few devices per insertion, at any size")
    func growth() {
        let ids = (0..<200_000).map { DeviceID(fleetSeed: 1, index: UInt64($0)) }
        var index = DeviceIndex()
        var most = 0
        for (slot, device) in ids.enumerated() {
            var looks = 0
            index.insert(device, at: slot) {
                looks += 1
                return ids[$0]
            }
            most = max(most, looks)
        }
        print("measured: \(most) devices looked at by one of 200,000 insertions, at most (≤ 5,000)")
        #expect(most <= 5_000)
        #expect(index.slot(of: ids[123_456]) { ids[$0] } == 123_456)
        #expect(index.slot(of: DeviceID(fleetSeed: 2, index: 1)) { ids[$0] } == nil)
    }
}
