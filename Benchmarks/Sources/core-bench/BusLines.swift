import CoreParts

/// `Bus` compared with libzmq in C: both in turn, medians of several runs.
enum BusLines {
    private static let rounds = 25

    /// The lines of the table.
    static func measure(in directory: BenchDirectory) throws -> [Line] {
        let oneWay = try alternating({ try OneWay.bare(in: directory) }, { try OneWay.bus(in: directory) })
        var lines = [
            Line.compared(
                "bus, PUSH to PULL", rate(oneWay.bus), rate(oneWay.bare), ratio: oneWay.bus / oneWay.bare)
        ]
        let single = FourHops(inFlight: 1, messages: 4_000)
        let times = try alternating(
            { try single.bare(in: directory).medianUs }, { try single.bus(in: directory).medianUs })
        lines.append(
            .compared(
                "bus, four hops, 1 in flight, p50", "\(Line.text(times.bus, 1)) µs",
                "\(Line.text(times.bare, 1)) µs", ratio: times.bare / times.bus))
        for many in [FourHops(inFlight: 64, messages: 50_000), FourHops(inFlight: 1_000, messages: 200_000)] {
            let rates = try alternating(
                { try many.bare(in: directory).perSecond }, { try many.bus(in: directory).perSecond })
            lines.append(
                .compared(
                    "bus, four hops, \(many.inFlight) in flight", rate(rates.bus), rate(rates.bare),
                    ratio: rates.bus / rates.bare))
        }
        return lines
    }

    /// Returns the medians of both; each runs first equally often, except for one run.
    private static func alternating(
        _ bare: () throws -> Double, _ bus: () throws -> Double
    ) throws -> (bare: Double, bus: Double) {
        var bareRuns: [Double] = []
        var busRuns: [Double] = []
        for round in 0..<rounds {
            if round.isMultiple(of: 2) { bareRuns.append(try bare()) }
            busRuns.append(try bus())
            if !round.isMultiple(of: 2) { bareRuns.append(try bare()) }
        }
        return (Measuring.median(bareRuns), Measuring.median(busRuns))
    }

    private static func rate(_ perSecond: Double) -> String { "\(Line.text(perSecond / 1_000, 0)) k/s" }
}
