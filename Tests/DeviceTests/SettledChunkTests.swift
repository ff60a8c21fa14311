import FleetProtocol
import Testing

@testable import DeviceCore

@Suite("Chunks of rows with settings")
struct SettledChunkTests {
    @Test("rows with settings are limited to those that fit into a chunk, and the rest follow in the next")
    func bound() {
        var bench = NodeBench(devices: 400)
        for slot in 0..<400 { bench.set(.filterCleaned, of: slot) }
        var cursor: UInt32 = 0
        var chunks: [RowChunk] = []
        while chunks.last?.isLast != true, chunks.count < 400 {
            for case .send(let message) in bench.send(.pull(since: .zero, cursor: cursor)) {
                #expect(message.wireBytes.count <= Limits.chunkBytes)
                guard case .rows(let chunk) = message.body else { continue }
                chunks.append(chunk)
                cursor = chunk.nextCursor
            }
        }
        // Each is at most 189 bytes, of 8 KiB.
        #expect(chunks.map(\.rows.count) == Array(repeating: 43, count: 9) + [13])
        #expect(chunks.flatMap(\.rows).map(\.device) == bench.node.truth)
    }
}
