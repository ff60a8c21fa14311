import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Causes of a device's changes")
struct ChangeCauseTests {
    private let device = DeviceID(fleetSeed: 1, index: 0)
    private let reported = DeviceState(
        state: .asBuilt, version: Version(2), incarnation: Incarnation(bits: 1))

    @Test("a row has the cause of the last change: a request, a correction or the hand remote")
    func rows() {
        var bench = NodeBench(devices: 1)
        #expect(bench.node.truth[0].cause == .request)
        #expect(bench.inject(.flip, [0]).published.map(\.cause) == [.handRemote])
        #expect(bench.send(.command(bench.toggle())).published.map(\.cause) == [.request])
        let correction = bench.send(.command(bench.toggle(number: 2, isCorrection: true)))
        #expect(correction.published.map(\.cause) == [.correction])
        #expect(correction.results.map(\.row.cause) == [.correction])
    }

    @Test("a change's cause is stored in a byte that every entry has", arguments: ChangeCause.allCases)
    func entry(cause: ChangeCause) throws {
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
        var writer = RecordWriter()
        writer.put(device)
        writer.put(reported)
        writer.put(Epoch.zero)
        writer.put(byte: 2)
        var reader = RecordReader(writer.bytes)
        #expect(try reader.read(MemoryEntry.self).changedBy == .handRemote)
    }
}
