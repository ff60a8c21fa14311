import FleetProtocol
public import FleetReplica
import Stepping

/// How the last requests for each device of an account ended, for as long as there is room.
public struct RequestEnds: Sendable {
    /// Ends of one device.
    public static let endsAtMost = 64
    /// Ends of all devices.
    public static let endsInAll = 1 << 16

    /// An end, and when the controller told of it.
    struct End: Sendable {
        let report: OutcomeReport
        let at: WallTime
    }

    private var ends: FairRings<End>

    /// None has ended.
    public init() {
        self.init(endsInAll: Self.endsInAll)
    }

    init(endsInAll: Int) {
        ends = FairRings(most: min(Self.endsAtMost, endsInAll), total: endsInAll)
    }

    /// Takes what a replica says that has happened.
    public mutating func note(_ event: FleetEvent) {
        switch event.body {
        case .outcome(let end):
            guard let device = end.report.device else { return }
            ends.append(End(report: end.report, at: event.at), to: device)
        case .removed(let device): ends.remove(device.id)
        case .reported, .settings, .measured, .presence, .node, .added, .connection, .stale, .resync: break
        }
    }

    /// Those of a device, oldest first.
    func of(_ device: DeviceID) -> [End] { Array(ends[device]) }
}
