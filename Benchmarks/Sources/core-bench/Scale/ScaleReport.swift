import CoreParts

/// The cost of a million devices, as a page of Markdown.
struct ScaleReport {
    /// The directory of the executables.
    let executables: String

    /// Measures for some minutes, and returns the page.
    func text(in directory: BenchDirectory) async throws -> String {
        let machine = await Machine()
        let lines =
            try StartLines.measure(executables, in: directory)
            + SizeLines.measure(executables, in: directory)
            + ArrivalLines.measure(executables, in: directory)
            + UpdateLines.measure(executables, in: directory)
            + DayLines.measure(executables, in: directory)
        return """
            # A million devices

            Written by `Benchmarks/run scale`: processes of a controller, nodes and observers on one machine that may
            have run other work. Memory is the resident memory with the devices, minus that of the same program
            without devices. Observers print plain lines.

            \(machine.text)

            \(Table(lines: lines).text)
            """
    }
}
