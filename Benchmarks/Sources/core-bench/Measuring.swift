import CBench

/// How parts are measured: never once, never one long after the other, and by what does not jitter where
/// that can be had.
enum Measuring {
    /// Runs of each part, in turn with the others'.
    static let rounds = 11

    /// The median of some figures.
    static func median(_ figures: [Double]) -> Double {
        figures.sorted()[figures.count / 2]
    }

    /// The nanoseconds of processor time of one operation of each part: the median of several runs, the parts
    /// in turn.
    static func nanoseconds(of parts: [Part]) throws -> [Double] {
        var runs = [[Double]](repeating: [], count: parts.count)
        for _ in 0..<rounds {
            for (index, part) in parts.enumerated() {
                runs[index].append(try counted(part, by: bench_processor_time))
            }
        }
        return runs.map(median)
    }

    /// The heap allocations of one operation, counted over a run whose preparation is not.
    static func allocations(of part: Part) throws -> Double {
        try counted(part, by: bench_allocations)
    }

    /// The instructions of one operation by the processor's counter; nil where there is none to be had.
    static func instructions(of part: Part) throws -> Double? {
        let counter = bench_open_instructions()
        guard counter >= 0 else { return nil }
        return try counted(part) { bench_read_instructions(counter) }
    }

    private static func counted(_ part: Part, by count: () -> UInt64) throws -> Double {
        var counted: UInt64 = 0
        try part.body(Part.operations) { run in
            let before = count()
            try run()
            counted = count() - before
        }
        return Double(counted) / Double(Part.operations)
    }
}
