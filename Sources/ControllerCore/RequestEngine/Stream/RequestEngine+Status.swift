import FleetProtocol
import Stepping

/// The status of an account's devices.
extension RequestEngine {
    func status(of account: AccountIndex, at now: MonotonicTime) -> StatusReport {
        var report = StatusReport(
            epoch: epoch, togglesPerSecond: Double(meter.endedPerSecond), pending: UInt32(requests.count),
            loopLagUs: meter.longestTurn.wholeMicroseconds)
        for node in directory.nodes where node.account == account && node.kind == .node {
            report.devices += node.devices
            switch node.presence.kind {
            case .online: report.online += node.connectedDevices
            case .stale: report.stale += node.connectedDevices
            case .offline: report.offline += node.devices
            case .unknown: report.unknown += node.devices
            }
            guard node.isReachable else { continue }
            report.disconnected += node.devices - node.connectedDevices
            report.offline += node.devices - node.connectedDevices
        }
        let awaited = UInt32(directory.awaited.count(of: account))
        report.devices += awaited
        if isSettling(account, at: now) { report.unknown += awaited } else { report.offline += awaited }
        return report
    }
}
