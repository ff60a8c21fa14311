import FleetProtocol
import FleetReplica
import GatewayCore
import Stepping

extension FleetMirror {
    /// Waits until the whole fleet is known.
    ///
    /// - Returns: Whether it was within that time.
    func isWhole(within patience: Duration) async -> Bool {
        let deadline = clock().monotonic.advanced(by: patience)
        while !read({ $0.isWhole }) {
            guard clock().monotonic < deadline, !Task.isCancelled else { return false }
            try? await World.sleep(.milliseconds(5))
        }
        return true
    }

    /// Waits until the first attempt to read the past is over; not longer than that.
    func waitForPast(within patience: Duration) async {
        let deadline = clock().monotonic.advanced(by: patience)
        while !hasLookedBack, clock().monotonic < deadline, !Task.isCancelled {
            try? await World.sleep(.milliseconds(5))
        }
    }
}

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
