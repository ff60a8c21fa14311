import CBench

/// Measures parts: several times, in turn with each other, and by exact counts if they are available.
package enum Measuring {
    /// The number of runs of each part, in turn with the others.
    static let rounds = 11

    /// Returns the median.
    package static func median(_ figures: [Double]) -> Double {
        figures.sorted()[figures.count / 2]
    }

    /// Returns the processor time of one operation of each part, nanoseconds: the median of several runs, in
    /// turn.
    package static func nanoseconds(of parts: [Part]) throws -> [Double] {
        var runs = [[Double]](repeating: [], count: parts.count)
        for _ in 0..<rounds {
            for (index, part) in parts.enumerated() {
                runs[index].append(try counted(part, by: bench_processor_time))
            }
        }
        return runs.map(median)
    }

    /// Returns the heap allocations of one operation, without those of the preparation.
    static func allocations(of part: Part) throws -> Double {
        try counted(part, by: bench_allocations)
    }

    /// Returns the instructions of one operation by the processor's counter; nil if the counter is
    /// unavailable.
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
