public import FleetProtocol

/// What the system says of a process.
public struct ProcessUse: Equatable, Sendable {
    /// Processor time so far, seconds.
    let processorSeconds: Double
    /// Memory that it holds, bytes.
    let residentBytes: UInt64

    /// What a line of `/proc/PID/stat` says (proc(5)); nil where it is none.
    ///
    /// - Parameters:
    ///   - ticks: Of the clock that the system counts processor time in, each second.
    ///   - pageBytes: Bytes in a page.
    public init?(stat line: String, ticks: Int, pageBytes: Int) {
        // The second field is the program's name in brackets, in which anything may be.
        guard let end = line.lastIndex(of: ")"), ticks > 0 else { return nil }
        let fields = line[line.index(after: end)...].split(separator: " ")
        // The first of these is the third of the line: utime is the 14th, stime the 15th, rss the 24th.
        guard fields.count > 21, let user = UInt64(fields[11]), let system = UInt64(fields[12]),
            let pages = UInt64(fields[21])
        else { return nil }
        processorSeconds = Double(user + system) / Double(ticks)
        residentBytes = pages * UInt64(pageBytes)
    }
}

/// How the processes of a fleet are.
public enum ProcessMetrics {
    /// Tells how each is.
    ///
    /// - Parameter uses: What the system says of it; nil where it does not run.
    public static func write(
        _ processes: [(process: FleetProcess, use: ProcessUse?)], to text: inout MetricsText
    ) {
        text.family("sensibus_process_up", .gauge, "1 while a process of the fleet runs.")
        for (process, _) in processes {
            text.value(
                "sensibus_process_up", [("process", process.name)],
                UInt64(process.state == .running ? 1 : 0))
        }
        text.family("sensibus_process_restarts_total", .counter, "How often a process was started again.")
        for (process, _) in processes {
            text.value(
                "sensibus_process_restarts_total", [("process", process.name)], UInt64(process.restarts))
        }
        text.family("sensibus_process_cpu_seconds_total", .counter, "Processor time of a process's life.")
        for case (let process, let use?) in processes {
            text.value(
                "sensibus_process_cpu_seconds_total", [("process", process.name)], use.processorSeconds)
        }
        text.family("sensibus_process_resident_memory_bytes", .gauge, "Memory that a process holds.")
        for case (let process, let use?) in processes {
            text.value(
                "sensibus_process_resident_memory_bytes", [("process", process.name)], use.residentBytes)
        }
    }

    /// Tells how the controller is.
    public static func write(_ report: StatusReport, to text: inout MetricsText) {
        text.family("sensibus_controller_epoch", .gauge, "The controller's start number.")
        text.value("sensibus_controller_epoch", [], report.epoch.value)
        text.family("sensibus_controller_pending_requests", .gauge, "Requests that have not ended.")
        text.value("sensibus_controller_pending_requests", [], UInt64(report.pending))
        text.family("sensibus_controller_ended_per_second", .gauge, "Requests ended in the last full second.")
        text.value("sensibus_controller_ended_per_second", [], report.togglesPerSecond)
        text.family(
            "sensibus_controller_longest_turn_seconds", .gauge,
            "The longest time between two turns of the controller's loop in the last full second.")
        text.value("sensibus_controller_longest_turn_seconds", [], Double(report.loopLagUs) / 1_000_000)
    }

    /// Tells what the controller has counted.
    public static func write(_ counters: CounterReport.Controller, to text: inout MetricsText) {
        for (name, count, help) in [
            ("requests", counters.requests, "Requests that clients have sent, repeated ones too."),
            ("ended_requests", counters.ended, "Commands that have ended, however they did."),
            ("commands", counters.commands, "Commands that went to nodes, repeated ones too."),
            ("node_messages", counters.nodeMessages, "Messages that nodes have sent."),
            ("telemetry_messages", counters.telemetryMessages, "Messages that nodes have published."),
            (
                "node_refusals", counters.nodeRefusals,
                "Messages of nodes, and rows in them, that were not taken."
            ),
        ] {
            text.family("sensibus_controller_\(name)_total", .counter, help)
            text.value("sensibus_controller_\(name)_total", [], count)
        }
    }
}
