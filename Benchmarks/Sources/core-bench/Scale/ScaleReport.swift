/// What a million devices cost, as a page of Markdown.
struct ScaleReport {
    /// The directory of the executables.
    let executables: String

    /// Measures, for some minutes.
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

            Written by `make bench-scale`: a controller, nodes and observers, each a process of its own, on one
            machine that may have been busy with other things. Memory is what is resident with the devices, less
            that of the same program without any. Observers print plain lines.

            \(machine.text)

            \(Table(lines: lines).text)
            """
    }
}
