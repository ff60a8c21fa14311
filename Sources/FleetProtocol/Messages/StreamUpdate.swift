extension StreamUpdate {
    /// The kinds of update.
    public enum Body: Sendable, Equatable {
        /// A heartbeat; its sequence number is that of the last update.
        case beat
        /// A device has another state, version or incarnation, with the cause.
        case reported(DeviceID, DeviceState, by: ChangeCause = .request)
        /// Several devices have changed: at most ``Limits/updateDevices``, in the order of the changes.
        ///
        /// A device that has changed twice is listed twice.
        case reports([ReportedDevice])
        /// A device lost or regained its own connection.
        case connection(DeviceID, isConnected: Bool)
        /// The presence of a node and its devices changed; with the number of the account's devices on it.
        case node(SnapshotChunk.Node, devices: UInt32)
        /// A request ended.
        case outcome(OutcomeReport)
        /// A device is new, or has another node, name or group.
        case added(SnapshotChunk.Row)
        /// A device was removed permanently.
        case removed(DeviceID)
        /// New measurements of pods: at most ``Limits/chunkRows``.
        case measured([MeasuredDevice])
        /// The automatic settings of a device changed, by a user or because they ran; the new settings.
        case settings(DeviceID, DeviceSettings)
        /// A group is new; its number stays valid for the whole epoch.
        case group(SnapshotChunk.Group)
        /// An update of an account service.
        case service(ServiceMessage)
    }

    /// The number of devices that the update concerns; 1 for an update that concerns none.
    public var changeCount: Int {
        switch body {
        case .reports(let devices): devices.count
        case .measured(let devices): devices.count
        case .beat, .reported, .connection, .node, .outcome, .added, .removed, .group, .settings, .service: 1
        }
    }
}

extension StreamTicket: CustomStringConvertible {
    /// The topic; never the ticket.
    public var description: String { "ticket to \(String(decoding: topic, as: UTF8.self))" }
}
