public import FleetProtocol
public import FleetReplica
import Stepping

/// What an account's stream has told, in numbers.
public struct FleetMetrics: Sendable {
    /// An account, with what was counted, its replica, and how many listen to its stream.
    public typealias Told = (name: String, metrics: FleetMetrics, replica: Summary, listeners: Int)

    /// Of requests that ended, by how: whole latencies at the controller.
    private var ends: [String: DurationHistogram] = [:]
    /// The parts of them, where a device was asked.
    private var parts: [Part: DurationHistogram] = [:]

    /// Where a request's time went.
    private enum Part: String, CaseIterable {
        case queue, wire, device, journal
    }

    /// Nothing was told.
    public init() {}

    /// Counts what an update tells.
    public mutating func note(_ update: StreamUpdate.Body) {
        guard case .outcome(let report) = update else { return }
        let timing = report.timing
        ends[report.outcome.name, default: DurationHistogram()].note(.microseconds(timing.totalUs))
        guard report.attempts > 0 else { return }
        for part in Part.allCases {
            let microseconds =
                switch part {
                case .queue: timing.queueUs
                case .wire: timing.wireUs
                case .device: timing.deviceUs
                case .journal: timing.journalUs
                }
            parts[part, default: DurationHistogram()].note(.microseconds(microseconds))
        }
    }

    /// Tells how each account's fleet is.
    public static func write(_ accounts: [Told], to text: inout MetricsText) {
        text.family("sensibus_devices", .gauge, "Devices of an account.")
        for one in accounts {
            text.value("sensibus_devices", [("account", one.name)], UInt64(one.replica.devices))
        }
        text.family("sensibus_devices_online", .gauge, "Devices of an account that are online.")
        for one in accounts {
            text.value("sensibus_devices_online", [("account", one.name)], UInt64(one.replica.online))
        }
        text.family("sensibus_stream_changes_total", .counter, "Changes taken from an account's stream.")
        for one in accounts {
            text.value("sensibus_stream_changes_total", [("account", one.name)], one.replica.changes)
        }
        text.family("sensibus_snapshots_total", .counter, "Snapshots that were fetched whole.")
        for one in accounts {
            text.value("sensibus_snapshots_total", [("account", one.name)], one.replica.snapshots)
        }
        text.family("sensibus_mirror_whole", .gauge, "1 while all of an account's fleet is known.")
        for one in accounts {
            text.value("sensibus_mirror_whole", [("account", one.name)], UInt64(one.replica.isWhole ? 1 : 0))
        }
        text.family("sensibus_stream_listeners", .gauge, "Pages that listen to an account's stream.")
        for one in accounts {
            text.value("sensibus_stream_listeners", [("account", one.name)], UInt64(one.listeners))
        }
        text.family(
            "sensibus_request_duration_seconds", .histogram,
            "From a request's arrival at the controller to its end, by how it ended.")
        for one in accounts {
            for (outcome, durations) in one.metrics.ends.sorted(by: { $0.key < $1.key }) {
                let labels = [("account", one.name), ("outcome", outcome)]
                text.histogram("sensibus_request_duration_seconds", labels, durations)
            }
        }
        text.family(
            "sensibus_request_part_seconds", .histogram,
            "Where the time went of requests that reached a device.")
        for one in accounts {
            for part in Part.allCases {
                guard let durations = one.metrics.parts[part] else { continue }
                let labels = [("account", one.name), ("part", part.rawValue)]
                text.histogram("sensibus_request_part_seconds", labels, durations)
            }
        }
    }

    /// How a replica is, in numbers.
    public struct Summary: Sendable {
        let devices: Int
        let online: Int
        let changes: UInt64
        let snapshots: UInt64
        let isWhole: Bool

        /// The numbers of a replica as it is now.
        public init(_ replica: Replica) {
            devices = replica.deviceCount
            online = replica.onlineCount
            changes = replica.updateCount
            snapshots = replica.snapshotCount
            isWhole = replica.isWhole
        }
    }
}
