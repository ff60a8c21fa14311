import CoreParts

/// All measurements, as a page of Markdown.
struct Report {
    /// The directory of `fleet`, `controller` and `device-sim`.
    let executables: String
    /// The directory of the peers' drivers.
    let drivers: String

    /// Measures for some minutes, and returns the page.
    func text(in directory: BenchDirectory) async throws -> String {
        let machine = try await Machine(drivers: drivers, in: directory)
        let times = try zip(Part.all, Measuring.nanoseconds(of: Part.all)).map { part, time in
            Line.bounded("\(part.title), processor time", time, atMost: part.nanosecondsAtMost, unit: "ns")
        }
        let peers = try await PeerLines.measure(executables, drivers, in: directory)
        let minute = try await MinuteLines.measure(executables, in: directory)
        let bus = try BusLines.measure(in: directory)
        let counts = try await Counts(of: Part.all, in: directory)
        let targets = Table(lines: try PeerLines.targets(peers) + minute)
        let parts = Table(lines: times + counts.lines + bus)
        return """
            # Benchmarks

            Written by `Benchmarks/run`: medians of several runs in turn, on a machine that may have run other work.
            Only ratios and counts can be compared between machines.

            \(machine.text)

            ## Targets

            Toggles go through a fleet of real processes with durability `process`, unless a line names another.
            The table of the peers has the baselines. [Where the time of a toggle goes](explanation/performance.md) has
            what was tried, and `Benchmarks/loop-profile` prints the functions of the controller's loop.

            \(targets.text)

            ## Parts

            Times are processor times. `Bus` carries messages of 64 bytes over ipc.
            Instructions are counted \(counts.means).

            \(parts.text)

            ## Peers

            Four hops: from a client through a broker to a device, and back. The peers carry 64 bytes without
            authentication, decisions, retries and storage, except for the acknowledgements of QoS 1 and JetStream
            (`Benchmarks/Peers` has the details). A fleet's messages are complete toggles. Its three durabilities
            survive nothing, the death of its processes, and a loss of power.

            \(peers.table.text)
            """
    }
}
