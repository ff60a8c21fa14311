import FleetProtocol
import FleetReplica
import GatewayCore
import Stepping

/// One who waits until a replica has a state, and with it a setting that was changed.
struct AwaitedState {
    let state: DeviceState
    let setting: SettingChange?
    let device: DeviceID
    let deadline: MonotonicTime
    let waiting: CheckedContinuation<Void, Never>

    /// Whether the replica has both, or never will: there is no such device any more, or it has forgotten.
    func isOver(in replica: Replica) -> Bool {
        guard let reported = replica.row(of: device)?.reported, reported.incarnation == state.incarnation
        else {
            return true
        }
        guard reported.version >= state.version else { return false }
        return setting?.isShown(by: replica.settings(of: device) ?? DeviceSettings()) ?? true
    }
}
