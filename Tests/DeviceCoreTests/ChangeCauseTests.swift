import FileFraming
import FleetProtocol
import FleetTime
import Testing

@testable import DeviceCore

@Suite("What made a device change")
struct ChangeCauseTests {
    @Test("is told with its row: a request, a correction, the hand remote")
    func rows() throws {
        var bench = try NodeBench(devices: 1)
        #expect(bench.node.truth[0].cause == .request)
        let flip = ControllerMessage.Body.fault(
            .flip, devices: [bench.node.truth[0].device], duration: .zero)
        #expect(bench.published(bench.say(flip)).map(\.cause) == [.handRemote])
        let toggle = bench.toggle(0)
        #expect(bench.published(bench.say(.command(toggle))).map(\.cause) == [.request])
        let next = bench.toggle(0, sequence: 2)
        let correction = DeviceCommand(
            identity: next.identity, change: next.change, base: next.base, timeToLive: next.timeToLive,
            isCorrection: true)
        let effects = bench.say(.command(correction))
        #expect(bench.published(effects).map(\.cause) == [.correction])
        #expect(bench.results(effects).map(\.row.cause) == [.correction])
    }

    @Test("is remembered in a byte that every entry has already", arguments: ChangeCause.allCases)
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
        #expect(try reader.take(MemoryEntry.self).changedBy == cause)
        #expect(bytes(cause).count == bytes(.request).count)
    }

    @Test("of a file that is older than such words is the hand remote, where it was no command")
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
        #expect(try reader.take(MemoryEntry.self).changedBy == .handRemote)
    }
}
