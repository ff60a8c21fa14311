import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("A node's memory")
struct MemoryTests {
    /// A short history with a frame for each entry.
    private static func history() -> MemoryBench {
        var bench = MemoryBench(seed: 3, devices: 3, makesMarks: true)
        while bench.marks.count < 25 { bench.step() }
        return bench
    }

    @Test(
        "a node's memory always equals its devices' state, and restores it",
        arguments: 1...12 as ClosedRange<UInt64>)
    func replays(seed: UInt64) throws {
        var bench = MemoryBench(seed: seed)
        for step in 1...2_000 {
            bench.step()
            guard step.isMultiple(of: 150) else { continue }
            let known = bench.memories
            try #require(try MemoryBench.replayed(bench.file).memories == known)
            try bench.restart()
            try #require(bench.memories == known)
            try #require(try MemoryBench.replayed(bench.file).memories == known)
        }
        let memories = bench.memories.values
        #expect(memories.contains { $0.lastCommandNumber > CommandNumber(5) && $0.epoch > .zero })
    }

    @Test(
        "a node's memory restores the states of air conditioners that differ from the assumed ones",
        arguments: 1...8 as ClosedRange<UInt64>)
    func airConditioners(seed: UInt64) throws {
        var bench = MemoryBench(seed: seed)
        var known = 0
        for step in 1...1_500 {
            bench.step()
            guard step.isMultiple(of: 100) else { continue }
            let strays = bench.strays
            known += strays.count
            try bench.restart()
            try #require(bench.strays == strays)
        }
        #expect(known > 15)
    }

    @Test("an air conditioner's last entry applies: a full memory, or that its state differs")
    func lastOfAirConditioners() throws {
        let bench = MemoryBench(seed: 1, devices: 1)
        let device = bench.node.devices.ids[0]
        let memory = bench.node.devices[0].memory
        var actual = memory.state
        actual.isOn.toggle()
        let entry = MemoryEntry(
            device: device, reported: memory.reported, epoch: memory.epoch, cause: .airConditioner,
            airConditioner: actual)
        func known(_ put: (inout MemoryWriter) -> Void) throws -> ACState? {
            var writer = MemoryWriter()
            put(&writer)
            writer.endFrame()
            var replay = MemoryReplay()
            try replay.append((MemoryWriter.header() + writer.bytes)[...])
            return replay.memory.airConditioner(of: device)
        }
        #expect(try known { $0.put(entry) } == actual)
        // This order occurs while the file is rewritten: a later entry may precede the full memory.
        #expect(
            try known {
                $0.put(entry)
                $0.put(memory, of: device)
            } == nil)
        #expect(
            try known {
                $0.put(memory, of: device)
                $0.put(airConditioner: actual, of: device)
            } == actual)
    }

    @Test(
        "a node's memory has all entries since it was rewritten, in order",
        arguments: 1...4 as ClosedRange<UInt64>)
    func entries(seed: UInt64) throws {
        var bench = MemoryBench(seed: seed)
        for step in 1...600 {
            bench.step()
            guard step.isMultiple(of: 150) else { continue }
            var replay = MemoryReplay()
            var reported: [MemoryEntry] = []
            for start in stride(from: 0, to: bench.file.count, by: 1_000) {
                let piece = bench.file[start..<min(start + 1_000, bench.file.count)]
                try replay.append(piece) { reported.append($0) }
            }
            #expect(reported == bench.entries)
            try bench.restart()
        }
    }

    @Test("a truncated memory has the contents of its last whole frame", arguments: [1, 13, .max])
    func truncated(pieces: Int) throws {
        let bench = Self.history()
        for count in 0..<MemoryFormat.headerBytes {
            #expect(throws: MemoryDamage.notMemory) { try MemoryBench.replayed(bench.file[..<count]) }
        }
        for count in MemoryFormat.headerBytes...bench.file.count {
            let (memories, end) = try MemoryBench.replayed(bench.file[..<count], pieces: pieces)
            let mark = bench.marks.last { $0.end <= count }
            try #require(memories == mark?.memories ?? [:], "\(count) bytes")
            try #require(end == mark?.end ?? MemoryFormat.headerBytes)
        }
    }

    @Test("a memory that ends in zeros, as after a power failure, is truncated there")
    func zeros() throws {
        let bench = Self.history()
        let zeros = [UInt8](repeating: 0, count: 3 * MemoryFormat.largestFrameBytes)
        let (memories, end) = try MemoryBench.replayed(bench.file + zeros, pieces: 1 << 16)
        #expect(memories == bench.memories)
        #expect(end == bench.file.count)
    }

    @Test("a memory with a changed bit is refused, unless the bit is in the last frame")
    func flipped() throws {
        let bench = Self.history()
        let ends = bench.marks.map(\.end)
        for place in bench.file.indices {
            var file = bench.file
            file[place] ^= 1 << (place % 8)
            let start = ends.last { $0 <= place } ?? MemoryFormat.headerBytes
            if place < MemoryFormat.headerBytes {
                #expect(throws: MemoryDamage.notMemory) { try MemoryBench.replayed(file) }
            } else if start == ends.dropLast().last {
                #expect(try MemoryBench.replayed(file).memories == bench.marks.dropLast().last?.memories)
            } else {
                #expect(throws: MemoryDamage.damaged(byte: start)) {
                    try MemoryBench.replayed(file, pieces: 100)
                }
            }
        }
    }

    @Test("a memory of a newer format is refused as such, and an impossible value as damage")
    func foreign() throws {
        var header = RecordWriter()
        for byte in MemoryFormat.mark { header.put(byte: byte) }
        header.put(MemoryFormat.number + 1)
        header.put(Checksum.of(header.bytes))
        #expect(throws: MemoryDamage.newerFormat(MemoryFormat.number + 1)) {
            try MemoryBench.replayed(header.bytes + [9, 9])
        }
        var frame = RecordWriter()
        frame.put(Checksum.of([9]))
        frame.put(block: [9])
        let impossible = MemoryDamage.malformed(
            byte: MemoryFormat.headerBytes, reason: "its content has an invalid value")
        #expect(throws: impossible) { try MemoryBench.replayed(MemoryWriter.header() + frame.bytes) }
    }

    @Test("the memory of a new device takes twenty bytes")
    func births() throws {
        let bench = MemoryBench(seed: 1, devices: 20_000)
        #expect(bench.file.count < 20_000 * 20 + 32 + 13 * 9 + 1)
        #expect(try MemoryBench.replayed(bench.file).memories == bench.memories)
    }

    @Test("a node with other devices reads its own from a memory, and creates the rest")
    func otherDevices() throws {
        let bench = Self.history()
        var replay = MemoryReplay()
        try replay.append(bench.file[...])
        let node = Node(
            MemoryBench.configuration(devices: 4, firstIndex: 1), bootID: BootID(bits: 2),
            memory: replay.memory, incarnations: SeededGenerator(seed: 77), at: NodeBench.start)
        let memories = zip(node.devices.ids, node.memories)
        let known = memories.filter { bench.memories[$0.0] != nil }
        #expect(known.count == 2)
        #expect(known.allSatisfy { $0.1 == bench.memories[$0.0] })
        let fresh = memories.filter { bench.memories[$0.0] == nil }
        #expect(fresh.count == 2)
        #expect(fresh.allSatisfy { $0.1.isUntouched })
        #expect(bench.node.devices.ids.map(node.remembers) == [false, true, true])
        #expect(node.truth.map(\.number) == (1...4).map(ChangeNumber.init))
    }
}
