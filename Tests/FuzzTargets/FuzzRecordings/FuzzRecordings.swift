import FleetReplica
public import FuzzSupport

/// The decoder of recordings.
public enum FuzzRecordings {
    /// Its target.
    public static let targets = [
        FuzzTarget("recording") { input, heap in
            try recording(input, heap)
            try recording(Corrected.file(input), heap)
        }
    ]

    private static func recording(_ input: [UInt8], _ heap: HeapMeter) throws {
        let index = try heap.decode(input) { input in
            var scan = RecordingScan()
            try scan.append(input[...])
            return try scan.finish()
        }
        guard let index else { return }
        var player = RecordingPlayer(RecordingTimeline([index, index])) { _, byte, count in
            Array(input[min(byte, input.count)..<min(byte + count, input.count)])
        }
        let length = player.timeline.length
        guard (try? player.play(to: length, report: { _, _, _ in })) != nil else { return }
        try? player.seek(to: length / 2)
    }
}
