/// Everything that can be measured here, as a page of Markdown.
struct Report {
    /// The directory of `fleet`, `controller` and `device-sim`.
    let executables: String
    /// The directory of the peers' drivers.
    let drivers: String

    /// Measures, for some minutes.
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

            Written by `make bench`: medians of several runs in turn, on a machine that may have been busy with
            other things. Only ratios and counts compare with another machine's.

            \(machine.text)

            ## Targets

            Toggles go through a fleet of real processes that outlives their death, unless a line says
            otherwise; what they are compared with is in the table of the peers.

            \(targets.text)

            ## Parts

            Times are the processor's. The bus carries messages of 64 bytes over ipc.
            Instructions are counted \(counts.means).

            \(parts.text)

            ## Peers

            Four hops: from a client over a broker to a device, and back. The others carry 64 bytes and nothing
            else: nobody is authenticated, nothing is judged, repeated or remembered, but for what QoS 1 and
            JetStream acknowledge (`Benchmarks/Peers` says what exactly). A fleet's messages are toggles, each
            with all of that, and its three durabilities are what it outlives: nothing, the death of its
            processes, loss of power.

            \(peers.table.text)
            """
    }
}
