import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Causes of a device's changes")
struct ChangeCauseTests {
    @Test("a row has the cause of the last change: a request, a correction or the hand remote")
    func rows() throws {
        var bench = try NodeBench(devices: 1)
        #expect(bench.node.truth[0].cause == .request)
        let flip = ControllerMessage.Body.fault(
            .flip, devices: [bench.node.truth[0].device], duration: .zero)
        #expect(bench.published(bench.send(flip)).map(\.cause) == [.handRemote])
        let toggle = bench.toggle(0)
        #expect(bench.published(bench.send(.command(toggle))).map(\.cause) == [.request])
        let next = bench.toggle(0, number: 2)
        let correction = DeviceCommand(
            identity: next.identity, change: next.change, base: next.base, timeToLive: next.timeToLive,
            isCorrection: true)
        let effects = bench.send(.command(correction))
        #expect(bench.published(effects).map(\.cause) == [.correction])
        #expect(bench.results(effects).map(\.row.cause) == [.correction])
    }

    @Test("a change's cause is stored in a byte that every entry has", arguments: ChangeCause.allCases)
    func entry(cause: ChangeCause) throws {
        let device = DeviceID(fleetSeed: 1, index: 0)
        let reported = DeviceState(
            state: .asBuilt, version: Version(2), incarnation: Incarnation(bits: 1))
        func bytes(_ cause: ChangeCause) -> [UInt8] {
            var writer = RecordWriter()
            writer.put(
                MemoryEntry(
                    device: device, reported: reported, epoch: .zero, cause: .epoch, changedBy: cause))
            return writer.bytes
        }
        var reader = RecordReader(bytes(cause))
        #expect(try reader.read(MemoryEntry.self).changedBy == cause)
        #expect(bytes(cause).count == bytes(.request).count)
    }

    @Test("an entry from before causes were stored has the hand remote as cause unless it was a command")
    func oldEntry() throws {
        let device = DeviceID(fleetSeed: 1, index: 0)
        let reported = DeviceState(
            state: .asBuilt, version: Version(2), incarnation: Incarnation(bits: 1))
        var writer = RecordWriter()
        writer.put(device)
        writer.put(reported)
        writer.put(Epoch.zero)
        writer.put(byte: 2)
        var reader = RecordReader(writer.bytes)
        #expect(try reader.read(MemoryEntry.self).changedBy == .handRemote)
    }
}
