import FleetProtocol
import FleetReplica

public struct RunningTime: Hashable, Sendable {
    /// The time until it was last switched off, seconds.
    var endedSeconds = 0.0
    /// The time since which it is on; nil while it is off.
    var since: WallTime?

    public init() {}

    init(since: WallTime?) { self.since = since }

    /// The running time in seconds; a clock that was set back does not reduce it.
    func seconds(at now: WallTime) -> Double {
        guard let since else { return endedSeconds }
        return endedSeconds + Double(max(0, since.duration(to: now).wholeMilliseconds)) / 1_000
    }
}

/// The running times of an account's devices: those of devices that were switched since the first event. A
/// device counts the running time of its filters from the first cleaning only. Before it, these times do.
struct RunningTimes: Sendable {
    private var times: [DeviceID: RunningTime] = [:]
    private var begin: WallTime?

    mutating func record(_ event: FleetEvent, of replica: Replica) {
        begin = begin ?? event.at
        switch event.body {
        case .reported(let reported):
            let device = reported.device.id
            guard let before = replica.row(of: device)?.before else { return }
            record(reported.state.state.isOn, of: device, from: before.isOn, at: event.at)
        case .removed(let device): times[device.id] = nil
        case .presence, .node, .outcome, .added, .connection, .stale, .resync, .measured, .settings, .service:
            break
        }
    }

    private mutating func record(_ isOn: Bool, of device: DeviceID, from wasOn: Bool, at time: WallTime) {
        guard isOn != wasOn else { return }
        var run = times[device] ?? RunningTime(since: wasOn ? begin : nil)
        run.endedSeconds = run.seconds(at: time)
        run.since = isOn ? time : nil
        times[device] = run
    }

    func time(of row: ReplicaRow) -> RunningTime {
        times[row.device]
            ?? RunningTime(since: row.reported.state.isOn ? max(row.asOf, begin ?? row.asOf) : nil)
    }
}
